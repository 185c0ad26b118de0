import type { KindOfLoss } from './kinds-of-loss.ts';
import type { Part, World } from './world.ts';

/** A small world in which one fact can be lost. */
export interface Trap {
  name: string;
  kind: KindOfLoss;
  world: World;
}

const plain: World = {
  seed: 0,
  provider: 'kubernetes',
  labels: 'app',
  apexName: undefined,
  hasPortDiscovery: false,
  targetPort: 8080,
  ending: 'success',
  killedAfterMs: undefined,
  parts: [],
};
type Differing = Partial<Omit<World, 'parts'>>;

const trap = (kind: KindOfLoss, name: string, parts: readonly Part[], more: Differing = {}): Trap => ({
  kind,
  name,
  world: { ...plain, ...more, parts },
});
const istio: Differing = { provider: 'istio' };
const recommended: Differing = { labels: 'recommended' };
const web: Part = { is: 'port name', name: 'web' };
const budget = (by: 'own' | 'kept'): Part => ({ is: 'PodDisruptionBudget', by, spec: { minAvailable: 1 } });

/** Each trap tests one kind of loss. */
export const traps: readonly Trap[] = [
  trap('further Service', 'an admin Service', [{ is: 'further Service', name: 'shop-admin', by: 'own', isHeadless: false }]),
  trap('further Service', 'a headless Service', [{ is: 'further Service', name: 'shop-headless', by: 'own', isHeadless: true }], istio),
  trap(
    'further Service',
    'one by recommended labels',
    [{ is: 'further Service', name: 'shop-admin', by: 'own', isHeadless: false }],
    recommended,
  ),
  trap('shared Service', 'an apex that leads to another Deployment too', [{ is: 'shared apex' }]),
  trap('shared Service', 'the same in a mesh', [{ is: 'shared apex' }], istio),
  trap('shared Service', 'an apex that was narrowed by hand', [{ is: 'narrowed apex' }]),
  trap('shared Service', 'one narrowed by hand, in a mesh', [{ is: 'narrowed apex' }], istio),
  trap('shared Service', 'the primary of another instance', [{ is: 'second instance' }], istio),
  trap('unweighted canary', 'a Service by a label of both sides', [
    { is: 'further Service', name: 'shop-admin', by: 'kept', isHeadless: false },
  ]),
  trap('unweighted canary', 'the same in a mesh', [{ is: 'further Service', name: 'shop-admin', by: 'kept', isHeadless: false }], istio),
  trap('unweighted canary', 'a Service over several workloads', [
    { is: 'further Service', name: 'shop-all', by: 'shared', isHeadless: false },
  ]),
  trap(
    'apex port',
    'a second port in a mesh',
    [
      { is: 'port name', name: 'http' },
      { is: 'second port', name: 'metrics' },
    ],
    istio,
  ),
  trap('port name', 'a port called web', [web]),
  trap('port name', 'a second port where ports are discovered', [{ is: 'second port', name: 'admin' }], { hasPortDiscovery: true }),
  trap('port name', 'an Ingress by port name', [web, { is: 'Ingress', byName: true }]),
  trap('port name', 'gRPC by port name', [{ is: 'port name', name: 'grpc-api' }], istio),
  trap('port name', 'TCP by port name', [{ is: 'port name', name: 'tcp-shop' }]),
  trap(
    'appProtocol',
    'gRPC by appProtocol',
    [
      { is: 'port name', name: 'http' },
      { is: 'appProtocol', appProtocol: 'grpc' },
    ],
    istio,
  ),
  trap('Service terms', 'a waypoint', [{ is: 'Service annotations', labels: { 'istio.io/use-waypoint': 'waypoint' } }], istio),
  trap('DestinationRule', 'TLS to the pods', [{ is: 'DestinationRule', host: 'short', tls: true }], istio),
  trap('DestinationRule', 'outlier detection by the full name', [{ is: 'DestinationRule', host: 'full', tls: false }], istio),
  trap('DestinationRule', 'a rule for all of the namespace', [{ is: 'DestinationRule', host: 'wildcard', tls: true }], istio),
  trap('DestinationRule', 'a rule for all of the mesh', [{ is: 'DestinationRule', host: 'of the mesh', tls: true }], istio),
  trap('NetworkPolicy', 'isolation', [{ is: 'isolation', by: 'own', from: 'web', byName: false }]),
  trap('NetworkPolicy', 'isolation by the name of a port', [{ is: 'isolation', by: 'own', from: 'all', byName: true }], recommended),
  trap('NetworkPolicy', 'isolation by an expression', [{ is: 'isolation', by: 'expression', from: 'namespace', byName: false }]),
  trap('NetworkPolicy', 'egress', [{ is: 'egress', by: 'own' }]),
  trap('NetworkPolicy', 'isolation of all but the application', [{ is: 'isolation of others' }]),
  trap('peer', 'a database that admits the application', [{ is: 'peer', of: 'db', by: 'own' }]),
  trap('peer', 'a client that may call the application alone', [{ is: 'peer', of: 'web', by: 'own' }], recommended),
  trap('PDB', 'a budget', [budget('own')]),
  trap('PDB', 'a budget by recommended labels', [budget('own')], recommended),
  trap('VPA', 'a VerticalPodAutoscaler', [{ is: 'VerticalPodAutoscaler' }]),
  trap('monitor', 'a PodMonitor', [{ is: 'PodMonitor', by: 'own' }]),
  trap('monitor', 'a ServiceMonitor by port name', [web, { is: 'ServiceMonitor', by: 'own' }]),
  trap(
    'monitor',
    'a ServiceMonitor by recommended labels',
    [
      { is: 'port name', name: 'http' },
      { is: 'ServiceMonitor', by: 'own' },
    ],
    {
      ...recommended,
      apexName: 'shop-web',
    },
  ),
  ...(['AuthorizationPolicy', 'PeerAuthentication', 'RequestAuthentication'] as const).map((kind) =>
    trap('workload policy', kind, [{ is: 'Istio policy', kind, by: 'own' }], istio),
  ),
  trap('Sidecar', 'a Sidecar', [{ is: 'Istio policy', kind: 'Sidecar', by: 'own' }], istio),
];

/** Worlds in which nothing must be lost, and no warning is needed. */
export const clean: readonly { name: string; world: World }[] = [
  { name: 'a Deployment and its Service', world: plain },
  { name: 'the same in a mesh', world: { ...plain, ...istio } },
  { name: 'recommended labels', world: { ...plain, ...recommended } },
  { name: 'a Service of another name', world: { ...plain, apexName: 'shop-web' } },
  { name: 'a named target port', world: { ...plain, targetPort: 'web', hasPortDiscovery: true } },
  { name: 'an HPA', world: { ...plain, ending: 'failure', parts: [{ is: 'HorizontalPodAutoscaler' }] } },
  {
    name: 'a port called http, with an Ingress by that name',
    world: {
      ...plain,
      parts: [
        { is: 'port name', name: 'http' },
        { is: 'Ingress', byName: true },
      ],
    },
  },
  {
    name: 'an appProtocol without a mesh',
    world: {
      ...plain,
      parts: [
        { is: 'port name', name: 'http' },
        { is: 'appProtocol', appProtocol: 'grpc' },
      ],
    },
  },
  { name: 'an Ingress by number', world: { ...plain, parts: [{ is: 'Ingress', byName: false }] } },
  { name: 'a budget of both sides', world: { ...plain, parts: [budget('kept')] } },
  { name: 'a budget for each side', world: { ...plain, parts: [{ is: 'budget of the primary' }] } },
  { name: 'isolation of both sides', world: { ...plain, parts: [{ is: 'isolation', by: 'kept', from: 'web', byName: false }] } },
  { name: 'isolation of the namespace', world: { ...plain, ...istio, parts: [{ is: 'isolation', by: 'all', from: 'web', byName: true }] } },
  { name: 'egress of both sides', world: { ...plain, parts: [{ is: 'egress', by: 'kept' }] } },
  { name: 'a database that admits both sides', world: { ...plain, parts: [{ is: 'peer', of: 'db', by: 'kept' }] } },
  {
    name: 'mutual TLS of the namespace',
    world: { ...plain, ...istio, parts: [{ is: 'Istio policy', kind: 'PeerAuthentication', by: 'all' }] },
  },
  {
    name: 'an authorization of both sides',
    world: { ...plain, ...istio, parts: [{ is: 'Istio policy', kind: 'AuthorizationPolicy', by: 'kept' }] },
  },
  { name: 'a PodMonitor of both sides', world: { ...plain, parts: [{ is: 'PodMonitor', by: 'kept' }] } },
];
