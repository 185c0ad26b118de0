import type { LaggedView } from './lagged-view.ts';
import { pickWeighted } from './random.ts';
import type { MeshRequest } from './request.ts';
import type { Refusal, ResolvedRoute } from './resolved-route.ts';

/** The name under which views know Knative's Services: a core Service has the same kind. */
export const KNATIVE_SERVICE = 'KnativeService';

/** The Revision that the traffic in force picks for a request to a Knative Service; undefined when the host is none. */
export function routeByKnativeService(view: LaggedView, request: MeshRequest, random: () => number): ResolvedRoute | Refusal | undefined {
  const { service } = request.host;
  const found = service && view.get(KNATIVE_SERVICE, `${service.namespace}/${service.name}`);
  if (!service || !found) return undefined;
  const targets: { revisionName?: string; percent?: number }[] = found.status?.traffic ?? [];
  const chosen = pickWeighted(
    targets.map(({ revisionName = '', percent = 0 }) => ({ name: revisionName, weight: percent })),
    random,
  );
  if (!chosen) return { status: 503, reason: 'no revision has traffic' };
  return {
    via: 'KnativeService',
    destination: { name: chosen.name, namespace: service.namespace },
    mirrors: [],
    requestHeaders: [],
    responseHeaders: [],
    retries: { attempts: 0, on: [] },
  };
}
