import type { Canary } from '../../api/canary.ts';
import { findObject, type KubeObject } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import { choosesUsers } from '../../api/provider-capabilities.ts';
import { factsOf } from '../../api/providers.ts';
import type { Routes } from '../../api/routes.ts';
import { rootService, splitSpec } from '../../api/traffic-split.ts';
import { isRecord } from '../../base/json.ts';
import { givenBack, keeping } from '../found-in-place.ts';
import { namesServicesIn } from '../original-spec.ts';
import type { RouteChange, Router } from '../router.ts';
import { RoutingError, rejectionOf } from '../routing-error.ts';
import { refUnderApex } from '../routing-metadata.ts';
import { takenNames } from '../taken-names.ts';
import { matchOf } from '../weights.ts';
import { readSplit } from './read.ts';
import { renderSplit } from './render.ts';
import { isOurGroup, renderRouteGroup } from './route-group.ts';
import { splitFindings } from './split-findings.ts';

export type SmiVersion = 'v1alpha1' | 'v1alpha2' | 'v1alpha3' | 'v1alpha4';

const namesOurSides = (canary: Canary) => namesServicesIn('service', canary);

/** The Service Mesh Interface's TrafficSplit. `mesh` is the text after `smi:v1alphaN:`; only `istio` means something. */
export function smi(version: SmiVersion, mesh?: 'istio'): Router {
  const matches = version === 'v1alpha3' || version === 'v1alpha4';

  const splitRef = (canary: Canary) => refUnderApex(canary, `split.smi-spec.io/${version}`, 'TrafficSplit');
  const groupRef = (canary: Canary) => refUnderApex(canary, `specs.smi-spec.io/${version}`, 'HTTPRouteGroup');

  const refsOf = (canary: Canary) => [splitRef(canary), ...(matches ? [groupRef(canary)] : [])];

  function render(canary: Canary, routes: Routes, current: readonly KubeObject[]): RouteChange {
    const match = matchOf(routes);
    if (match && !matches) throw new RoutingError(`SMI ${version} cannot match requests: A/B releases need smi:v1alpha3 or smi:v1alpha4`);
    const wanted = renderSplit(canary, splitRef(canary), routes, { group: match ? groupRef(canary) : undefined, mesh });
    const split = keeping(wanted, current, namesOurSides(canary));
    if (match) return { write: [keeping(renderRouteGroup(groupRef(canary), match), current, isOurGroup), split], remove: [] };
    const freed = givenBack(matches ? [groupRef(canary)] : [], current, () => isOurGroup);
    return { write: [split, ...freed.write], remove: freed.remove };
  }

  return {
    supports: factsOf(`smi:${version}`).can,
    refuses: (canary) => {
      const match = canary.spec.analysis.match;
      if (!matches)
        return choosesUsers(canary)
          ? new RoutingError(`SMI ${version} cannot match requests: analysis.match needs smi:v1alpha3 or smi:v1alpha4`)
          : undefined;
      if (!match?.length) return undefined;
      return rejectionOf(() => renderRouteGroup(groupRef(canary), match));
    },
    unkept: (canary, objects) => [
      ...takenNames(objects, [splitRef(canary)], {
        made: 'the TrafficSplit that Serin makes',
        isRestored: true,
        keeps: (spec) => leadsToApex(canary, spec),
        remedy: `remove it, or leave only ${names(canary).apexService} in it`,
      }),
      ...takenNames(objects, matches && canary.spec.analysis.match?.length ? [groupRef(canary)] : [], {
        made: 'the HTTPRouteGroup that Serin makes of analysis.match',
        isRestored: true,
      }),
    ],
    watches: refsOf,
    render: (canary, _apex, routes, current) => render(canary, routes, current),
    readRoutes(canary, current) {
      const split = findObject(current, splitRef(canary));
      return split && readSplit(canary, split, findObject(current, groupRef(canary)));
    },
    warnings(canary, look) {
      const ref = splitRef(canary);
      const split = look.find(ref);
      if (!split) return [];
      const { namespace } = canary.metadata;
      const { service = '', backends = [] } = splitSpec(split);
      const named = [rootService(String(service), namespace), ...backends.map((backend) => backend.service)];
      const services = named.flatMap((name) => look.find({ apiVersion: 'v1', kind: 'Service', name, namespace }) ?? []);
      const known = [...services, ...look.all({ ...ref, namespace })];
      return splitFindings(split, known).map(({ path, message }) => ({ on: split, message: `${path} ${message}` }));
    },
    finalize: (canary, current) =>
      givenBack(refsOf(canary), current, ({ kind }) => (kind === 'TrafficSplit' ? namesOurSides(canary) : isOurGroup)),
    // It is for clients inside the mesh, which know the Service too.
    afterDeletion: () => 'goes',
  };
}

/** A split of requests to the application, all of which it gets. */
function leadsToApex(canary: Canary, { service, backends, matches }: Partial<Record<string, unknown>>): boolean {
  const { apexService } = names(canary);
  const isOf =
    typeof service === 'string' && rootService(service, canary.metadata.namespace) === (canary.spec.service.hosts?.[0] ?? apexService);
  const isOnly = Array.isArray(backends) && backends.length > 0 && backends.every((one) => isRecord(one) && one.service === apexService);
  return isOf && isOnly && matches === undefined;
}
