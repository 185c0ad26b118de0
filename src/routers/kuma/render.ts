import type { Canary } from '../../api/canary.ts';
import { findObject, type KubeObject, type ObjectRef } from '../../api/kube-object.ts';
import { fluxOff, names } from '../../api/names.ts';
import { withoutSpecRecords } from '../../api/tracking-metadata.ts';
import type { NamesOurSides } from '../original-spec.ts';
import { primaryWeight } from '../weights.ts';

const apiVersion = 'kuma.io/v1alpha1';

/** On the Canary: the mesh of its route. */
const MESH = 'kuma.io/mesh';

/** The tag by which Kuma selects a Service. */
export const SERVICE = 'kuma.io/service';

/** Canaries of one name in two namespaces must not share a route: a dot is in no name of a Service. */
export function trafficRouteRef(canary: Canary): ObjectRef {
  return { apiVersion, kind: 'TrafficRoute', name: `${names(canary).apexService}.${canary.metadata.namespace}` };
}

/** The name that Flagger gives its route. TrafficRoutes are cluster-scoped, so two namespaces can claim it. */
export function flaggerRef(canary: Canary): ObjectRef {
  return { apiVersion, kind: 'TrafficRoute', name: names(canary).apexService };
}

/** A route of Flagger's name stays in use, if it leads to our Service and not to that of another namespace. */
export function refIn(canary: Canary, current: readonly KubeObject[]): ObjectRef {
  return !findObject(current, trafficRouteRef(canary)) && isOfFlagger(canary, current) ? flaggerRef(canary) : trafficRouteRef(canary);
}

/** Tests if the route of that name leads to the sides of this Canary. */
export function isOfFlagger(canary: Canary, current: readonly KubeObject[]): boolean {
  const found = findObject(current, flaggerRef(canary));
  return found !== undefined && namesOurSides(canary)(found.spec ?? {});
}

/** Kuma's name of one port of a Service. */
function serviceName({ metadata, spec }: Canary, service: string): string {
  return `${service}_${metadata.namespace}_svc_${spec.service.port}`;
}

/** For any port: it could have been edited since. */
export function namesOurSides(canary: Canary): NamesOurSides {
  const { primaryService, canaryService } = names(canary);
  const sides = [primaryService, canaryService].map((side) => `"${side}_${canary.metadata.namespace}_svc_`);
  return (spec) => sides.some((side) => JSON.stringify(spec).includes(side));
}

export function renderRoute(canary: Canary, share: number, current: readonly KubeObject[]): KubeObject {
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
