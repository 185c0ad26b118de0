import { asKnativeService } from '../../api/kinds/knative-service.ts';
import { definition, open } from '../definition.ts';
import { countUpstream, envoyHistograms, envoySeries } from './envoy-cluster.ts';
import type { LaggedView } from './lagged-view.ts';
import { pickWeighted } from './random.ts';
import type { MeshRequest } from './request.ts';
import { PLAIN_ROUTE } from './resolved-route.ts';
import type { RouteChoice, RouteResolver } from './resolver.ts';

/** The name under which views know Knative's Services: a core Service has the same kind. */
const KNATIVE_SERVICE = 'KnativeService';

export const knativeService: RouteResolver = {
  providers: ['knative'],
  definitions: () => [
    definition('serving.knative.dev', 'Service', 'services', ['v1'], open, ['kservice', 'ksvc']),
    definition('serving.knative.dev', 'Revision', 'revisions', ['v1'], open, ['rev']),
  ],
  series: envoySeries,
  kinds: [{ apiVersion: 'serving.knative.dev/v1', kind: 'Service', knownAs: KNATIVE_SERVICE }],
  histograms: envoyHistograms,
  resolve: routeByKnativeService,
};

/** The Revision that the traffic in force picks for a request to a Knative Service; `undefined` if the host is not a Knative Service. */
function routeByKnativeService(view: LaggedView, request: MeshRequest): RouteChoice | undefined {
  const { service } = request.host;
  const found = service && view.get(KNATIVE_SERVICE, `${service.namespace}/${service.name}`);
  if (!service || !found) return undefined;
  const targets = asKnativeService(found).status?.traffic ?? [];
  const weighted = targets.map(({ revisionName = '', percent = 0 }) => ({ name: revisionName, weight: percent }));
  return (random) => {
    const chosen = pickWeighted(weighted, random);
    if (!chosen) return { status: 503, reason: 'no revision has traffic' };
    return {
      ...PLAIN_ROUTE,
      via: 'KnativeService',
      destination: { name: chosen.name, namespace: service.namespace },
      count: (metrics, answered) => {
        // Knative's gateway names a cluster by the Revision, which is also the name of the Service over its pods.
        if (answered.pod && !answered.isProxyError)
          countUpstream(metrics, `${answered.destination.namespace}/${answered.destination.name}`, answered);
      },
    };
  };
}
