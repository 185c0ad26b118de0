import type { KubeObject, Labels } from '../../../src/api/kube-object.ts';
import { lastApplied } from '../../../src/api/tracking-metadata.ts';
import { drawer } from '../../fakes/model/life.ts';
import { ROOT_NAMESPACE } from './istio-lookup.ts';
import type { Arriving, Ending } from './play.ts';

/** Part of an application besides its Deployment, its apex Service and the workloads around it. */
export type Part =
  /** Ports of the apex: what clients, an Ingress or a monitor name. */
  | { is: 'port name'; name: string }
  | { is: 'appProtocol'; appProtocol: string }
  | { is: 'second port'; name: string }
  | { is: 'Service annotations'; labels?: Labels; annotations?: Labels }
  /** Selects by the label that Serin rewrites, by a label that both sides keep, or by a label that another workload also has. */
  | { is: 'further Service'; name: string; by: Selecting; isHeadless: boolean }
  /** Another Deployment behind the apex Service. */
  | { is: 'shared apex' }
  /** Another Deployment has the label too, and its user has separated them with `kubectl patch`: the last manifest of the Service does not say so. */
  | { is: 'narrowed apex' }
  /** The same chart, installed twice in the namespace; the other instance also has a Canary. */
  | { is: 'second instance' }
  | { is: 'PodDisruptionBudget'; by: Selecting; spec: object }
  /** The user has written one for each side, as users of Flagger do. */
  | { is: 'budget of the primary' }
  | { is: 'isolation'; by: Selecting | 'all' | 'expression'; from: 'web' | 'namespace' | 'all'; byName: boolean }
  | { is: 'egress'; by: Selecting }
  /** Other workloads admit the application by its label. */
  | { is: 'peer'; of: 'db' | 'web'; by: Selecting }
  /** All pods except the application are isolated. */
  | { is: 'isolation of others' }
  | { is: 'HorizontalPodAutoscaler' }
  | { is: 'VerticalPodAutoscaler' }
  | { is: 'ServiceMonitor'; by: Selecting }
  | { is: 'PodMonitor'; by: Selecting }
  | { is: 'Ingress'; byName: boolean }
  | { is: 'Istio policy'; kind: 'AuthorizationPolicy' | 'PeerAuthentication' | 'RequestAuthentication' | 'Sidecar'; by: Selecting | 'all' }
  | { is: 'DestinationRule'; host: 'short' | 'full' | 'wildcard' | 'of the mesh'; tls: boolean };
type Selecting = 'own' | 'kept' | 'shared';

/** One living application. It shrinks by its parts. */
export interface World {
  seed: number;
  provider: 'kubernetes' | 'istio';
  /** Labels of its pods. */
  labels: 'app' | 'recommended';
  /** Another name than the Deployment's. */
  apexName: string | undefined;
  hasPortDiscovery: boolean;
  targetPort: number | 'web';
  ending: Ending;
  killedAfterMs: number | undefined;
  parts: readonly Part[];
}

export const SHOP = 'shop';
const NAMESPACE = 'test';
type Draw = (from: number, to: number) => number;
/** Frequency in a hundred worlds, and the part. */
type Drawn = readonly [number, () => Part];

/** Everything of a world follows from its seed; how often it has what is near what public applications have. */
export function worldOf(seed: number): World {
  const draw = drawer(seed * 15_485_863 + 3);
  for (let warm = 0; warm < 3; warm += 1) draw(0, 2); // neighbouring seeds begin alike
  const isOne = (percent: number): boolean => draw(0, 100) < percent;
  const from = <T>(...all: readonly [T, ...T[]]): T => all[draw(0, all.length)] ?? all[0];
  const provider = from('kubernetes', 'istio');
  const by = (): Selecting => from<Selecting>('own', 'own', 'own', 'own', 'kept');
  const drawn: Drawn[] = [
    [35, () => ({ is: 'port name', name: from('http', 'http', 'web', 'http-api', 'grpc-api', 'tcp-shop') })],
    [4, () => ({ is: 'appProtocol', appProtocol: from('http', 'kubernetes.io/h2c', 'grpc', 'https') })],
    [15, () => ({ is: 'second port', name: from('metrics', 'admin', 'grpc') })],
    [3, () => ({ is: 'Service annotations', ...steering(draw) })],
    [10, () => ({ is: 'further Service', name: `${SHOP}-${from('admin', 'internal', 'headless')}`, by: by(), isHeadless: isOne(20) })],
    [4, () => ({ is: 'further Service', name: `${SHOP}-all`, by: 'shared', isHeadless: false })],
    [4, () => ({ is: 'shared apex' })],
    [
      27,
      () => ({
        is: 'PodDisruptionBudget',
        by: by(),
        spec: from<object>({ minAvailable: 1 }, { maxUnavailable: 1 }, { minAvailable: '50%' }),
      }),
    ],
    [2, () => ({ is: 'budget of the primary' })],
    [
      17,
      () => ({
        is: 'isolation',
        by: from('own', 'own', 'own', 'kept', 'all', 'expression'),
        from: from('web', 'namespace', 'all'),
        byName: isOne(30),
      }),
    ],
    [5, () => ({ is: 'egress', by: by() })],
    [6, () => ({ is: 'peer', of: from('db', 'db', 'web'), by: by() })],
    [2, () => ({ is: 'isolation of others' })],
    [28, () => ({ is: 'HorizontalPodAutoscaler' })],
    [5, () => ({ is: 'VerticalPodAutoscaler' })],
    [20, () => ({ is: 'ServiceMonitor', by: by() })],
    [5, () => ({ is: 'PodMonitor', by: by() })],
    [30, () => ({ is: 'Ingress', byName: isOne(40) })],
    ...(provider === 'istio'
      ? ([
          [
            12,
            () => ({
              is: 'Istio policy',
              kind: from('AuthorizationPolicy', 'PeerAuthentication', 'RequestAuthentication', 'Sidecar'),
              by: from('own', 'own', 'kept', 'all'),
            }),
          ],
          [15, () => ({ is: 'DestinationRule', host: from('short', 'full', 'wildcard', 'of the mesh'), tls: isOne(50) })],
        ] satisfies Drawn[])
      : []),
  ];
  const labels = from('app', 'recommended');
  const apexName = isOne(15) ? `${SHOP}-web` : undefined;
  const targetPort = from<number | 'web'>(8080, 'web');
  const ending = from<Ending>('success', 'failure', 'replaced', 'renamed');
  const killedAfterMs = isOne(20) ? draw(0, 15_000) : undefined;
  const hasPortDiscovery = isOne(30);
  const parts = drawn.flatMap(([percent, make]) => (isOne(percent) ? [make()] : []));
  return { seed, provider, labels, apexName, hasPortDiscovery, targetPort, ending, killedAfterMs, parts };
}

function steering(draw: Draw): { labels?: Labels; annotations?: Labels } {
  const all = [
    { labels: { 'istio.io/use-waypoint': 'waypoint' } },
    { annotations: { 'projectcontour.io/upstream-protocol.h2c': '80' } },
    { annotations: { 'traefik.ingress.kubernetes.io/service.serversscheme': 'h2c' } },
  ];
  return all[draw(0, all.length)] ?? {};
}

/** The world as its user has applied it, and the Canary that a newcomer writes for it from the documentation. */
export function arrivingIn(world: World): Arriving {
  const { provider, hasPortDiscovery, targetPort, apexName, ending, killedAfterMs, parts } = world;
  const has = (is: Part['is']): boolean => parts.some((part) => part.is === is);
  const hpa = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', name: SHOP };
  const canary = object('flagger.app/v1beta1', 'Canary', SHOP, {
    provider,
    targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: SHOP },
    ...(has('HorizontalPodAutoscaler') && { autoscalerRef: hpa }),
    progressDeadlineSeconds: 60,
    service: { ...(apexName && { name: apexName }), port: 80, targetPort, ...(hasPortDiscovery && { portDiscovery: true }) },
    analysis: {},
  });
  return { name: `seed ${world.seed}`, objects: objectsOf(world), canary, ending, ...(killedAfterMs !== undefined && { killedAfterMs }) };
}

export function objectsOf(world: World): KubeObject[] {
  const { apexName = SHOP, targetPort, parts } = world;
  const labels = labelsOf(world);
  const apexPorts: Record<string, unknown>[] = [{ port: 80, targetPort }];
  const apexMetadata: { labels: Labels; annotations: Labels } = { labels: { ...labels.own }, annotations: {} };
  const has = (is: Part['is']): boolean => parts.some((part) => part.is === is);
  const selector = has('shared apex')
    ? labels.shared
    : { ...labels.own, ...((has('narrowed apex') || has('second instance')) && labels.kept) };
  for (const part of parts) {
    if (part.is === 'port name' && apexPorts[0]) apexPorts[0].name = part.name;
    if (part.is === 'appProtocol' && apexPorts[0]) apexPorts[0].appProtocol = part.appProtocol;
    if (part.is === 'narrowed apex') apexMetadata.annotations[lastApplied] = JSON.stringify({ spec: { selector: labels.own } });
    if (part.is === 'second port') apexPorts.push({ name: part.name, port: 9090, targetPort: 9090 });
    if (part.is === 'Service annotations') {
      Object.assign(apexMetadata.labels, part.labels);
      Object.assign(apexMetadata.annotations, part.annotations);
    }
  }
  // The API requires names for several ports.
  if (apexPorts.length > 1 && apexPorts[0]) apexPorts[0].name ??= 'main';
  const apex = object('v1', 'Service', apexName, { selector, ports: apexPorts });
  const objects = [
    deployment(SHOP, labels.pods, [
      { name: 'web', containerPort: 8080 },
      { name: 'metrics', containerPort: 9090 },
    ]),
    { ...apex, metadata: { ...apex.metadata, ...apexMetadata } },
    ...neighbour('web', 8080),
    ...neighbour('db', 5432),
    ...parts.flatMap((part) => objectsOfPart(part, world)),
  ];
  // Two parts can need the same neighbour.
  return [...new Map(objects.map((one) => [`${one.kind}/${one.metadata.name}`, one])).values()];
}

interface WorldLabels {
  own: Labels;
  kept: Labels;
  shared: Labels;
  pods: Labels;
}

/**
 * `own` labels separate the application, and a Canary's primary gets other values of them. `kept` labels are only on both sides, and `shared` labels also on
 * other workloads.
 */
function labelsOf({ labels }: World): WorldLabels {
  const own: Labels = labels === 'app' ? { app: SHOP } : { 'app.kubernetes.io/name': SHOP, 'app.kubernetes.io/instance': 'store' };
  const kept = { component: 'catalogue' };
  const shared = { tier: 'backend' };
  return { own, kept, shared, pods: { ...own, ...kept, ...shared } };
}

function objectsOfPart(part: Part, world: World): KubeObject[] {
  const labels = labelsOf(world);
  const { apexName = SHOP } = world;
  const podSelector = (by: Selecting | 'all') => (by === 'all' ? {} : { matchLabels: labels[by] });
  const [[key, value] = ['', '']] = Object.entries(labels.own);
  switch (part.is) {
    case 'port name':
    case 'appProtocol':
    case 'second port':
    case 'Service annotations':
      return [];
    case 'further Service':
      return [
        object('v1', 'Service', part.name, {
          selector: labels[part.by],
          ports: [{ name: 'web', port: 8081, targetPort: 'web' }],
          ...(part.isHeadless && { clusterIP: 'None' }),
        }),
        ...(part.by === 'shared' ? [sibling(labels)] : []),
      ];
    case 'shared apex':
      return [sibling(labels)];
    case 'second instance': {
      const ports = [{ name: 'web', containerPort: 8080 }];
      const primary = Object.fromEntries([[key, `${value}-primary`]]);
      return [
        deployment('till', { ...labels.own, component: 'till' }, ports),
        deployment('till-primary', { ...labels.own, ...primary, component: 'till' }, ports),
        object('v1', 'Service', 'till', { selector: { ...primary, component: 'till' }, ports: [{ port: 80, targetPort: 8080 }] }),
      ];
    }
    case 'narrowed apex':
      return [deployment('till', { ...labels.own, component: 'till' }, [{ name: 'web', containerPort: 8080 }])];
    case 'PodDisruptionBudget':
      return [object('policy/v1', 'PodDisruptionBudget', SHOP, { ...part.spec, selector: { matchLabels: labels[part.by] } })];
    case 'budget of the primary':
      return [
        object('policy/v1', 'PodDisruptionBudget', SHOP, { minAvailable: 1, selector: { matchLabels: labels.own } }),
        object('policy/v1', 'PodDisruptionBudget', `${SHOP}-of-primary`, {
          minAvailable: 1,
          selector: { matchLabels: { [key]: `${value}-primary` } },
        }),
      ];
    case 'isolation': {
      const selected =
        part.by === 'expression' ? { matchExpressions: [{ key, operator: 'In', values: [value, 'till'] }] } : podSelector(part.by);
      const peer = {
        web: { podSelector: { matchLabels: { app: 'web' } } },
        namespace: { namespaceSelector: { matchLabels: { team: 'till' } } },
      };
      const rule = {
        ...(part.from !== 'all' && { from: [peer[part.from]] }),
        ports: [{ protocol: 'TCP', port: part.byName ? 'web' : 8080 }],
      };
      return [object('networking.k8s.io/v1', 'NetworkPolicy', SHOP, { podSelector: selected, policyTypes: ['Ingress'], ingress: [rule] })];
    }
    case 'egress': {
      const to = [{ podSelector: { matchLabels: { app: 'db' } } }];
      const egress = [{ to, ports: [{ port: 5432 }] }, { ports: [{ protocol: 'UDP', port: 53 }] }];
      return [
        object('networking.k8s.io/v1', 'NetworkPolicy', `${SHOP}-egress`, {
          podSelector: podSelector(part.by),
          policyTypes: ['Egress'],
          egress,
        }),
      ];
    }
    case 'peer': {
      const peers = [{ podSelector: podSelector(part.by) }];
      const own = { podSelector: { matchLabels: { app: part.of } } };
      const spec = part.of === 'db' ? { ...own, ingress: [{ from: peers }] } : { ...own, policyTypes: ['Egress'], egress: [{ to: peers }] };
      return [object('networking.k8s.io/v1', 'NetworkPolicy', `${part.of}-of-${SHOP}`, spec)];
    }
    case 'isolation of others':
      return [
        object('networking.k8s.io/v1', 'NetworkPolicy', 'others', {
          podSelector: { matchExpressions: [{ key, operator: 'NotIn', values: [value] }] },
          policyTypes: ['Ingress'],
          ingress: [{ from: [{ podSelector: {} }], ports: [{ port: 5432 }] }],
        }),
      ];
    case 'HorizontalPodAutoscaler':
      return [
        object('autoscaling/v2', 'HorizontalPodAutoscaler', SHOP, {
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: SHOP },
          minReplicas: 2,
          maxReplicas: 5,
          metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } }],
        }),
      ];
    case 'VerticalPodAutoscaler':
      return [
        object('autoscaling.k8s.io/v1', 'VerticalPodAutoscaler', SHOP, {
          targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: SHOP },
          updatePolicy: { updateMode: 'Auto' },
        }),
      ];
    case 'ServiceMonitor': {
      const ports = apexPortNames(world);
      return [
        object('monitoring.coreos.com/v1', 'ServiceMonitor', SHOP, {
          selector: { matchLabels: labels.own },
          endpoints: [ports.length > 0 ? { port: ports.at(-1) } : { targetPort: world.targetPort }],
        }),
      ];
    }
    case 'PodMonitor':
      return [
        object('monitoring.coreos.com/v1', 'PodMonitor', SHOP, {
          selector: { matchLabels: labels[part.by] },
          podMetricsEndpoints: [{ port: 'metrics' }],
        }),
      ];
    case 'Ingress': {
      const [name] = apexPortNames(world);
      const port = part.byName && name !== undefined ? { name } : { number: 80 };
      const backend = { service: { name: apexName, port } };
      const rules = [{ host: 'shop.example.com', http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }];
      return [object('networking.k8s.io/v1', 'Ingress', SHOP, { rules })];
    }
    case 'Istio policy':
      return [istioPolicy(part, labels)];
    case 'DestinationRule': {
      const isOfMesh = part.host === 'of the mesh';
      const hosts = {
        short: apexName,
        full: `${apexName}.${NAMESPACE}.svc.cluster.local`,
        wildcard: `*.${NAMESPACE}.svc.cluster.local`,
        'of the mesh': '*.local',
      };
      const trafficPolicy = part.tls ? { tls: { mode: 'ISTIO_MUTUAL' } } : { outlierDetection: { consecutive5xxErrors: 3 } };
      const rule = object('networking.istio.io/v1', 'DestinationRule', isOfMesh ? 'default' : `${apexName}-rule`, {
        host: hosts[part.host],
        trafficPolicy,
      });
      return [isOfMesh ? { ...rule, metadata: { ...rule.metadata, namespace: ROOT_NAMESPACE } } : rule];
    }
    default:
      return part satisfies never;
  }
}

function istioPolicy({ kind, by }: Extract<Part, { is: 'Istio policy' }>, labels: WorldLabels): KubeObject {
  const selector =
    by === 'all'
      ? {}
      : { [kind === 'Sidecar' ? 'workloadSelector' : 'selector']: { [kind === 'Sidecar' ? 'labels' : 'matchLabels']: labels[by] } };
  const spec = {
    AuthorizationPolicy: { action: 'DENY', rules: [{ to: [{ operation: { paths: ['/internal/*'] } }] }] },
    PeerAuthentication: { mtls: { mode: 'STRICT' } },
    RequestAuthentication: { jwtRules: [{ issuer: 'https://issuer.example.com' }] },
    Sidecar: { egress: [{ hosts: ['./*'] }] },
  };
  const group = kind === 'Sidecar' ? 'networking.istio.io/v1' : 'security.istio.io/v1';
  return object(group, kind, SHOP, { ...selector, ...spec[kind] });
}

function apexPortNames(world: World): string[] {
  const named = world.parts.flatMap((part) => (part.is === 'port name' || part.is === 'second port' ? [part] : []));
  const first = named.find(({ is }) => is === 'port name')?.name;
  const second = named.find(({ is }) => is === 'second port')?.name;
  return [first ?? (second === undefined ? undefined : 'main'), second].filter((name) => name !== undefined);
}

/** Another workload with a label of the application's. */
const sibling = (labels: WorldLabels): KubeObject =>
  deployment('till', { app: 'till', ...labels.shared }, [{ name: 'web', containerPort: 8080 }]);

const neighbour = (name: string, port: number): KubeObject[] => [
  deployment(name, { app: name }, [{ name: 'main', containerPort: port }]),
  object('v1', 'Service', name, { selector: { app: name }, ports: [{ port, targetPort: port }] }),
];

function deployment(name: string, labels: Labels, ports: readonly object[]): KubeObject {
  const { tier: _, ...matchLabels } = labels;
  return object('apps/v1', 'Deployment', name, {
    replicas: 2,
    selector: { matchLabels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'good-1', ports }] } },
  });
}

const object = (apiVersion: string, kind: string, name: string, spec: object): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, namespace: NAMESPACE },
  spec,
});

/** Description for a reader who does not know the tests. */
export function describeWorld({ seed, parts, ...rest }: World): string {
  return [`seed ${seed}, ${JSON.stringify(rest)}`, ...parts.map((part) => `  ${JSON.stringify(part)}`)].join('\n');
}
