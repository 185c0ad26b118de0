import { findObject } from '../../api/kube-object.ts';
import { ownerAnnotation } from '../../api/names.ts';
import { beginsMirrored, choosesUsers } from '../../api/provider-capabilities.ts';
import { factsOf } from '../../api/providers.ts';
import { givenBack, keeping } from '../found-in-place.ts';
import type { Router } from '../router.ts';
import { RoutingError } from '../routing-error.ts';
import { takenNames } from '../taken-names.ts';
import { onlyWeight } from '../weights.ts';
import { readRoute } from './read.ts';
import { flaggerRef, isOfFlagger, namesOurSides, refIn, renderRoute, trafficRouteRef } from './render.ts';

/** Kuma's TrafficRoute, which belongs to the cluster and not to a namespace. */
export const kuma: Router = {
  supports: factsOf('kuma').can,
  refuses(canary) {
    if (choosesUsers(canary)) return new RoutingError("Kuma's TrafficRoute cannot match requests: analysis.match needs another provider");
    return beginsMirrored(canary)
      ? new RoutingError("Kuma's TrafficRoute cannot mirror requests: set analysis.mirror to false", 'analysis.mirror')
      : undefined;
  },
  unkept: (canary, objects) =>
    takenNames(objects, [trafficRouteRef(canary)], { made: 'the TrafficRoute that Serin makes', isRestored: true }),
  watches: (canary) => [trafficRouteRef(canary), flaggerRef(canary)],
  render(canary, _apex, routes, current) {
    const share = onlyWeight(routes, "Kuma's TrafficRoute has weights only: requests can be neither matched nor mirrored");
    return { write: [keeping(renderRoute(canary, share, current), current, namesOurSides(canary))], remove: [] };
  },
  readRoutes(canary, current) {
    const found = findObject(current, refIn(canary, current));
    return found && readRoute(canary, found);
  },
  finalize(canary, current) {
    const own = trafficRouteRef(canary);
    // By its name we made it for this namespace, wherever it leads by now.
    const isMade = findObject(current, own)?.metadata.annotations?.[ownerAnnotation] !== undefined;
    const refs = [...(isMade ? [] : [own]), ...(isOfFlagger(canary, current) ? [flaggerRef(canary)] : [])];
    const { write, remove } = givenBack(refs, current, () => namesOurSides(canary));
    return { write, remove: isMade ? [own, ...remove] : remove };
  },
  // It is for clients inside the mesh, which know the Service too.
  afterDeletion: () => 'goes',
};
