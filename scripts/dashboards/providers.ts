import type { Provider, TargetRef } from '../../src/api/canary.ts';
import type { Observer } from '../../src/api/observer.ts';
import { definitionOf } from '../../src/routers/index.ts';
import type { Variable } from './dashboard.ts';

type Kind = TargetRef['kind'];

/** Providers that are judged by the same queries, and how those see the two sides. */
interface ProviderGroup {
  id: string;
  title: string;
  providers: readonly [Provider, ...Provider[]];
  /**
   * Where the queries do not name the target: what to write in them for the primary. A text: why both sides are counted as one.
   */
  toPrimary?: readonly [canary: string, primary: string] | string;
  /** Kind of the targets, where it is one that Kubernetes has no pods for by a name that is known. */
  kind?: Kind;
  variables?: readonly Variable[];
}

const ROUTED = ['-canary', '-primary'] as const;

const groups: readonly ProviderGroup[] = [
  {
    id: 'apisix',
    title: 'Apache APISIX',
    providers: ['apisix'],
    toPrimary: 'APISIX counts both sides of a route together, and so do the checks.',
  },
  { id: 'appmesh', title: 'App Mesh', providers: ['appmesh', 'appmesh:v1beta2'] },
  { id: 'contour', title: 'Contour (Envoy)', providers: ['contour'], toPrimary: ROUTED },
  { id: 'gateway-api', title: 'Gateway API', providers: ['gatewayapi:v1', 'gatewayapi:v1beta1'] },
  { id: 'gloo', title: 'Gloo', providers: ['gloo'], toPrimary: ROUTED },
  { id: 'istio', title: 'Istio and SMI', providers: ['istio', 'smi:v1alpha1', 'smi:v1alpha2', 'smi:v1alpha3', 'smi:v1alpha4'] },
  {
    id: 'knative',
    title: 'Knative',
    providers: ['knative'],
    kind: 'Service',
    toPrimary: [
      'envoy_cluster_name=~"{{ namespace }}/{{ route }}"',
      'envoy_cluster_name=~"{{ namespace }}/{{ target }}-[0-9a-zA-Z]+",envoy_cluster_name!~"{{ namespace }}/{{ route }}"',
    ],
    variables: [
      {
        name: 'route',
        label: 'Revision under analysis',
        query: 'label_values(envoy_cluster_upstream_rq{envoy_cluster_name=~"$namespace/$target-[0-9a-zA-Z]+"}, envoy_cluster_name)',
        regex: '/[^/]+/(.+)/',
        latest: true,
      },
    ],
  },
  { id: 'kubernetes', title: 'Services of Kubernetes', providers: ['kubernetes', 'none'] },
  { id: 'kuma', title: 'Kuma', providers: ['kuma'], toPrimary: ROUTED },
  { id: 'linkerd', title: 'Linkerd', providers: ['linkerd'] },
  { id: 'nginx', title: 'ingress-nginx', providers: ['nginx'], toPrimary: ['canary!=""', 'canary=""'] },
  { id: 'osm', title: 'Open Service Mesh', providers: ['osm'] },
  {
    id: 'skipper',
    title: 'Skipper',
    providers: ['skipper'],
    // While the canary has no traffic, the route of the user's own Ingress leads to the apex Service.
    toPrimary: ['_canary__.*__{{ service }}_canary', '(_canary__.*__{{ service }}_primary|__.*__{{ service }})'],
  },
  { id: 'traefik', title: 'Traefik', providers: ['traefik'], toPrimary: ROUTED },
];

/** A group with the queries of one kind of target. */
export interface ObservedGroup extends ProviderGroup {
  observer: Observer;
  /** Kinds of targets that these queries judge, as a matcher of `kind`; empty: any. */
  kinds: string;
  /** Pods of a side by the pattern of their names; undefined: they have any names. */
  podsOf?: (target: string) => string;
}

/** By the whole pattern of their names, so that `api` is not `api-gateway` (06-GD11). */
const PODS: Partial<Record<Kind, (target: string) => string>> = {
  Deployment: (target) => `${target}-[0-9a-z]+(-[0-9a-z]+)`,
  DaemonSet: (target) => `${target}-[0-9a-z]+`,
};

/** Kinds of targets without queries of their own are judged by those of Deployments, as `observerFor` chooses them. */
export const observedGroups: readonly ObservedGroup[] = groups.flatMap((group) => {
  const { Deployment, ...others } = definitionOf(group.providers[0]).observers;
  const own = Object.entries(others) as [Kind, Observer][];
  const kinds = own.length === 0 ? '' : `kind!~"${own.map(([kind]) => kind).join('|')}"`;
  const withPods = (kind: Kind) => {
    const podsOf = group.kind === undefined ? PODS[kind] : undefined;
    return podsOf && { podsOf };
  };
  return [
    { ...group, observer: Deployment, kinds, ...withPods('Deployment') },
    ...own.map(([kind, observer]) => ({
      ...group,
      id: `${group.id}-${kind.toLowerCase()}`,
      title: `${group.title}, ${kind}s`,
      observer,
      kinds: `kind="${kind}"`,
      // Requests of a Service target are counted by the Services that they were sent to.
      ...(!observer.selectsWorkload && { toPrimary: ROUTED }),
      ...withPods(kind),
    })),
  ];
});
