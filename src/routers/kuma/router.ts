import type { Canary } from '../../api/canary.ts';
import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';
import { fluxOff, names, ownerAnnotation } from '../../api/names.ts';
import { beginsMirrored, choosesUsers } from '../../api/provider-capabilities.ts';
import { factsOf } from '../../api/providers.ts';
import type { Routes } from '../../api/routes.ts';
import { withoutSpecRecords } from '../../api/tracking-metadata.ts';
import { findObject } from '../find-object.ts';
import { givenBack, keeping } from '../found-in-place.ts';
import type { NamesOurSides } from '../original-spec.ts';
import type { Router } from '../router.ts';
import { RoutingError } from '../routing-error.ts';
import { primaryWeight, readAs, readWeights } from '../weights.ts';

const apiVersion = 'kuma.io/v1alpha1';
/** On the Canary: the mesh of its route. */
const MESH = 'kuma.io/mesh';
const SERVICE = 'kuma.io/service';

/** Kuma's TrafficRoute, which belongs to the cluster and not to a namespace (04-4.12). */
export const kuma: Router = {
  supports: factsOf('kuma').can,
  refuses(canary) {
    if (choosesUsers(canary)) return new RoutingError("Kuma's TrafficRoute cannot match requests: analysis.match needs another provider");
    return beginsMirrored(canary)
      ? new RoutingError("Kuma's TrafficRoute cannot mirror requests: set analysis.mirror to false", 'analysis.mirror')
      : undefined;
  },
  watches: (canary) => [ownRef(canary), flaggerRef(canary)],
  render(canary, _apex, routes, current) {
    const share = canaryShare(routes);
    return { write: [keeping(renderRoute(canary, share, current), current, namesOurSides(canary))], remove: [] };
  },
  readRoutes(canary, current) {
    const found = findObject(current, refIn(canary, current));
    return found && readRoute(canary, found);
  },
  finalize(canary, current) {
    const own = ownRef(canary);
    // By its name we made it for this namespace, wherever it leads by now.
    const isMade = findObject(current, own)?.metadata.annotations?.[ownerAnnotation] !== undefined;
    const refs = [...(isMade ? [] : [own]), ...(isOfFlagger(canary, current) ? [flaggerRef(canary)] : [])];
    const { write, remove } = givenBack(
      refs.map((ref) => [ref, namesOurSides(canary)]),
      current,
    );
    return { write, remove: isMade ? [own, ...remove] : remove };
  },
};

/** Canaries of one name in two namespaces must not share a route (04-R-D12): a dot is in no name of a Service. */
function ownRef(canary: Canary): ObjectRef {
  return { apiVersion, kind: 'TrafficRoute', name: `${names(canary).apexService}.${canary.metadata.namespace}` };
}

function flaggerRef(canary: Canary): ObjectRef {
  return { apiVersion, kind: 'TrafficRoute', name: names(canary).apexService };
}

/** A route of Flagger's name goes on as it is, if it leads to our Service and not to that of another namespace. */
function refIn(canary: Canary, current: readonly KubeObject[]): ObjectRef {
  return !findObject(current, ownRef(canary)) && isOfFlagger(canary, current) ? flaggerRef(canary) : ownRef(canary);
}

function isOfFlagger(canary: Canary, current: readonly KubeObject[]): boolean {
  const found = findObject(current, flaggerRef(canary));
  return found !== undefined && namesOurSides(canary)(found.spec ?? {});
}

/** Kuma's name of one port of a Service. */
function serviceName({ metadata, spec }: Canary, service: string): string {
  return `${service}_${metadata.namespace}_svc_${spec.service.port}`;
}

/** Whatever the port: it may have been edited since. */
function namesOurSides(canary: Canary): NamesOurSides {
  const { primaryService, canaryService } = names(canary);
  const sides = [primaryService, canaryService].map((side) => `"${side}_${canary.metadata.namespace}_svc_`);
  return (spec) => sides.some((side) => JSON.stringify(spec).includes(side));
}

function renderRoute(canary: Canary, share: number, current: readonly KubeObject[]): KubeObject {
  const { apexService, primaryService, canaryService } = names(canary);
  const { labels, annotations } = canary.spec.service.apex ?? {};
  const { kind, name } = refIn(canary, current);
  const side = (service: string, weight: number) => ({ weight, destination: { [SERVICE]: serviceName(canary, service) } });
  return {
    apiVersion,
    kind,
    metadata: { name, ...(labels ? { labels: { ...labels } } : {}), annotations: { ...withoutSpecRecords(annotations), ...fluxOff } },
    mesh: canary.metadata.annotations?.[MESH] ?? 'default',
    spec: {
      sources: [{ match: { [SERVICE]: '*' } }],
      destinations: [{ match: { [SERVICE]: serviceName(canary, apexService) } }],
      conf: { split: [side(primaryService, primaryWeight(share)), side(canaryService, share)] },
    },
  };
}

function canaryShare(routes: Routes): number {
  if (routes.kind !== 'weighted' || routes.match?.length)
    throw new RoutingError("Kuma's TrafficRoute has weights only: requests can be neither matched nor mirrored");
  return routes.canary;
}

function readRoute(canary: Canary, found: KubeObject): Routes | { unreadable: string } {
  const { primaryService, canaryService } = names(canary);
  const split: unknown = found.spec?.conf?.split;
  const weightOf = (service: string): unknown =>
    Array.isArray(split) ? split.find((side) => isOf(side?.destination?.[SERVICE], service, canary))?.weight : undefined;
  const share = readWeights({ primary: weightOf(primaryService), canary: weightOf(canaryService) });
  if (share === undefined || (split as unknown[]).length !== 2) {
    const where = `TrafficRoute ${found.metadata.name}`;
    return { unreadable: `${where} does not split between ${primaryService} and ${canaryService} by whole weights that sum to 100` };
  }
  return readAs(share, undefined);
}

const isOf = (name: unknown, service: string, { metadata }: Canary): boolean =>
  typeof name === 'string' && name.startsWith(`${service}_${metadata.namespace}_svc_`);
