import type { KubeObject } from '../../src/api/kube-object.ts';

/** A pod of a Service, as its EndpointSlice has it. Default: ready. */
export interface ServicePod {
  node: string;
  zone: string;
  is?: 'ready' | 'starting' | 'draining' | 'closed';
  hints?: 'zone' | 'node';
}

export interface ProxyPlace {
  node: string;
  zone: string;
}

/** Pods to which the proxy of a node sends the requests for a Service. */
export interface ProxyRow {
  title: string;
  /** Fields of the Service. */
  spec?: object;
  pods: readonly ServicePod[];
  /** Place of the proxy. Default: `here`. */
  place?: ProxyPlace;
  /** Indices of the pods. Empty if each request is an error. */
  goesTo: readonly number[];
}

const here = { node: 'n1', zone: 'z1' };
const beside = { node: 'n2', zone: 'z1' };
/** In the zone, without a pod. */
const near = { node: 'n8', zone: 'z1' };
/** Neither its node nor its zone has a pod. */
const away = { node: 'n9', zone: 'z9' };
export const PROXY_PLACES: readonly ProxyPlace[] = [here, beside, near, away];

const [mine, neighbour, far] = [here, beside, { node: 'n3', zone: 'z2' }] as const;
const spread: readonly ServicePod[] = [mine, neighbour, far];
const hinted = (hints: 'zone' | 'node'): ServicePod[] => spread.map((pod) => ({ ...pod, hints }));
const leaving: readonly ServicePod[] = spread.map((pod) => ({ ...pod, is: 'draining' }));
const local = { internalTrafficPolicy: 'Local' };
const all = [0, 1, 2];

export const proxyRows: readonly ProxyRow[] = [
  { title: 'without a wish any ready endpoint will do', pods: spread, goesTo: all },
  { title: 'nor does Cluster choose', spec: { internalTrafficPolicy: 'Cluster' }, pods: spread, goesTo: all },
  { title: 'Local takes the endpoints of its own node', spec: local, pods: spread, goesTo: [0] },
  { title: 'where Local has none, there is none', spec: local, pods: spread, place: away, goesTo: [] },
  { title: 'hints for zones keep requests in the zone', pods: hinted('zone'), goesTo: [0, 1] },
  { title: 'a zone without an endpoint uses any endpoint', pods: hinted('zone'), place: away, goesTo: all },
  {
    title: 'a zone whose pods are not ready has no endpoint',
    pods: hinted('zone').map((pod) => (pod.zone === here.zone ? { ...pod, is: 'starting' } : pod)),
    goesTo: [2],
  },
  { title: 'hints for nodes keep requests at the node', pods: hinted('node'), goesTo: [0] },
  { title: 'else in the zone', pods: hinted('node'), place: near, goesTo: [0, 1] },
  { title: 'else anywhere', pods: hinted('node'), place: away, goesTo: all },
  { title: 'a policy of Local wins over hints', spec: local, pods: hinted('zone'), place: beside, goesTo: [1] },
  { title: 'also where it leaves none', spec: local, pods: hinted('zone'), place: away, goesTo: [] },
  {
    title: 'hints count only when every ready endpoint has one',
    spec: { trafficDistribution: 'PreferSameZone' },
    pods: hinted('zone').map((pod, index) => (index === 2 ? far : pod)),
    goesTo: all,
  },
  {
    title: 'the field of the Service itself says nothing',
    spec: { trafficDistribution: 'PreferSameZone' },
    pods: spread,
    goesTo: all,
  },
  {
    title: 'an endpoint that is not ready needs no hint',
    pods: hinted('zone').map((pod, index) => (index === 2 ? { ...far, is: 'starting' } : pod)),
    goesTo: [0, 1],
  },
  {
    title: 'a pod that is leaving gets nothing while another one is ready',
    pods: leaving.map((pod, index) => (index === 1 ? neighbour : pod)),
    goesTo: [1],
  },
  { title: 'pods that are leaving serve on where none is ready', pods: leaving, goesTo: all },
  {
    title: 'under Local those of the node serve on',
    spec: local,
    pods: leaving.map((pod, index) => (index === 1 ? neighbour : pod)),
    goesTo: [0],
  },
  { title: 'and of no other node', spec: local, pods: leaving, place: away, goesTo: [] },
  { title: 'a pod that answers no more gets nothing', pods: [{ ...mine, is: 'closed' }], goesTo: [] },
  { title: 'a pod that is not ready gets no request, even as the only one', pods: [{ ...mine, is: 'starting' }], goesTo: [] },
  {
    title: 'nor from its own node',
    spec: local,
    pods: [{ ...mine, is: 'starting' }, neighbour, far],
    goesTo: [],
  },
];

/** The Service `name`, without a selector, and its EndpointSlice: pods `pod-0`, `pod-1` … at the addresses that `addressOf` gives them. */
export function serviceOf(
  { name, namespace }: { name: string; namespace: string },
  spec: object,
  pods: readonly ServicePod[],
  addressOf: (pod: number) => string,
): { service: KubeObject; slice: KubeObject } {
  return {
    service: {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace },
      spec: { type: 'ClusterIP', ports: [{ port: 80, targetPort: 8080, protocol: 'TCP' }], ...spec },
    },
    slice: {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: `${name}-1`, namespace, labels: { 'kubernetes.io/service-name': name } },
      addressType: 'IPv4',
      ports: [{ name: '', port: 8080, protocol: 'TCP' }],
      endpoints: pods.map(({ node, zone, is = 'ready', hints }, index) => ({
        addresses: [addressOf(index)],
        nodeName: node,
        zone,
        conditions: {
          ready: is === 'ready',
          serving: is === 'ready' || is === 'draining',
          terminating: is === 'draining' || is === 'closed',
        },
        targetRef: { kind: 'Pod', name: `pod-${index}`, namespace },
        ...(hints && { hints: { forZones: [{ name: zone }], ...(hints === 'node' && { forNodes: [{ name: node }] }) } }),
      })),
    } as KubeObject,
  };
}
