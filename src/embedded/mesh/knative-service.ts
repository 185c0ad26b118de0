import { asKnativeService } from '../../api/kinds/knative-service.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { definition, open } from '../definition.ts';
import { endpointsOf } from './endpoints.ts';
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
  const weighted = trafficInUse(view, found);
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

interface Share {
  name: string;
  weight: number;
}
/** By view, and by the uid of the Knative Service: the traffic that the gateway used last. */
const used = new WeakMap<LaggedView, Map<string, readonly Share[]>>();

/** Knative probes its gateways: a gateway that does not know the pods of a Revision yet follows the traffic of before. */
function trafficInUse(view: LaggedView, service: KubeObject): readonly Share[] {
  const { namespace = '', uid = '' } = service.metadata;
  const targets = asKnativeService(service).status?.traffic ?? [];
  const wanted = targets.map(({ revisionName = '', percent = 0 }) => ({ name: revisionName, weight: percent }));
  const byUid = used.get(view) ?? new Map<string, readonly Share[]>();
  used.set(view, byUid);
  const isKnown = ({ name, weight }: Share): boolean => weight === 0 || (endpointsOf(view, { namespace, name }) ?? []).length > 0;
  const before = byUid.get(uid);
  if (before && !wanted.every(isKnown)) return before;
  byUid.set(uid, wanted);
  return wanted;
}
