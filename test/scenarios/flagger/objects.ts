import type { KubeObject, OwnerReference } from '../../../src/api/kube-object.ts';
import type { Raw } from '../../fakes/raw.ts';

/** The objects that Flagger writes for one application. */
export interface Place {
  name: string;
  namespace: string;
  owner: OwnerReference;
}

const fluxOff = { 'kustomize.toolkit.fluxcd.io/reconcile': 'disabled', 'helm.toolkit.fluxcd.io/driftDetection': 'disabled' };
const FLAGGER_ID = '6d0c9a0e-0000-4000-8000-000000000000';

/** A promotion leaves no annotation behind; at creation the target's come along. */
export function primaryDeployment({ name, namespace, owner }: Place, template: Raw, isPromoted: boolean): KubeObject {
  const labels = { app: `${name}-primary` };
  const annotations = isPromoted ? {} : { 'deployment.kubernetes.io/revision': '1', contact: 'shop@example.test' };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: `${name}-primary`, namespace, creationTimestamp: null, labels, annotations, ownerReferences: [owner] } as never,
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      strategy: {},
      template: {
        spec: {
          ...template.spec,
          containers: template.spec.containers.map(withCopies),
          // A term that names the Deployment.
          topologySpreadConstraints: template.spec.topologySpreadConstraints.map((term: object) => ({
            ...term,
            labelSelector: { matchLabels: labels },
          })),
        },
        metadata: {
          ...template.metadata,
          creationTimestamp: null,
          labels: { ...template.metadata.labels, ...labels },
          annotations: { ...template.metadata.annotations, 'flagger-id': FLAGGER_ID },
        },
      },
    },
  };
}

/** The container reads the copies. */
function withCopies(container: { envFrom?: { configMapRef: { name: string } }[] }): object {
  const { envFrom } = container;
  return {
    ...container,
    ...(envFrom && { envFrom: envFrom.map(({ configMapRef: { name } }) => ({ configMapRef: { name: `${name}-primary` } })) }),
  };
}

/** Flagger copies only the data, without annotations. */
export function configCopy({ namespace, owner }: Place, name: string, data: Record<string, string>): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `${name}-primary`, namespace, ownerReferences: [owner] }, data };
}

export function service({ name, namespace, owner }: Place, role: 'apex' | 'primary' | 'canary', extra: object[] = []): KubeObject {
  const own = role === 'apex' ? name : `${name}-${role}`;
  const app = role === 'canary' ? name : `${name}-primary`;
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: own, namespace, labels: { app: own }, annotations: { ...fluxOff }, ownerReferences: [owner] },
    spec: {
      type: 'ClusterIP',
      selector: { app },
      ports: [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 'http' }, ...extra],
    },
  };
}

export function destinationRule({ name, namespace, owner }: Place, role: 'primary' | 'canary'): KubeObject {
  const host = `${name}-${role}`;
  const metadata = { name: host, namespace, ownerReferences: [owner] };
  return { apiVersion: 'networking.istio.io/v1beta1', kind: 'DestinationRule', metadata, spec: { host } };
}

export function virtualService({ name, namespace, owner }: Place, http: object[]): KubeObject {
  return {
    apiVersion: 'networking.istio.io/v1beta1',
    kind: 'VirtualService',
    metadata: { name, namespace, annotations: { ...fluxOff }, ownerReferences: [owner] },
    spec: { gateways: ['mesh'], hosts: [name], http },
  };
}

const sides = (name: string, canary: number) => [
  { destination: { host: `${name}-primary` }, weight: 100 - canary },
  { destination: { host: `${name}-canary` }, weight: canary },
];

/** One weighted route; primary first. */
export const weighted = (name: string, canary: number): object[] => [{ route: sides(name, canary) }];

/** A/B: the merged match with both destinations, then all others to the primary with a weight that Istio ignores. */
export const matched = (name: string, match: object[]): object[] => [
  { match, route: sides(name, 100) },
  { route: [{ destination: { host: `${name}-primary` }, weight: 0 }] },
];

export const mirrored = (name: string): object[] => [{ route: sides(name, 0), mirror: { host: `${name}-canary` } }];

/** Sticky sessions at this weight. */
export function sticky(name: string, canary: number, cookies: { canary: string; primary: string }): object[] {
  const regex = (pair: string) => `.*${pair.replace('=', '.*')}.*`;
  const held = (pair: string, share: number) => ({
    match: [{ headers: { Cookie: { regex: regex(pair) } } }],
    route: sides(name, share),
  });
  const [primary, side] = sides(name, canary);
  const withCookie = (pair: string, seconds: number) => ({
    headers: { response: { add: { 'Set-Cookie': `${pair}; Max-Age=${seconds}` } } },
  });
  return [
    held(cookies.canary, 100),
    held(cookies.primary, 0),
    {
      route: [
        { ...primary, ...withCookie(cookies.primary, 1) },
        { ...side, ...withCookie(cookies.canary, 86400) },
      ],
    },
  ];
}

/** The canary's backend first. */
export function trafficSplit({ name, namespace, owner }: Place, canary: number): KubeObject {
  return {
    apiVersion: 'split.smi-spec.io/v1alpha2',
    kind: 'TrafficSplit',
    metadata: { name, namespace, ownerReferences: [owner] },
    spec: {
      service: name,
      backends: [
        { service: `${name}-canary`, weight: canary },
        { service: `${name}-primary`, weight: 100 - canary },
      ],
    },
  };
}

/** The kinds of scaler that a Canary can name, as a user writes one for a Deployment. */
export const scalers = {
  HorizontalPodAutoscaler: {
    apiVersion: 'autoscaling/v2',
    spec: (deployment: string): object => ({
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: deployment },
      minReplicas: 2,
      maxReplicas: 4,
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 99 } } }],
      behavior: { scaleDown: { stabilizationWindowSeconds: 120 } },
    }),
  },
  ScaledObject: {
    apiVersion: 'keda.sh/v1alpha1',
    spec: (deployment: string): object => ({
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: deployment },
      minReplicaCount: 2,
      maxReplicaCount: 4,
      cooldownPeriod: 120,
      triggers: [{ type: 'prometheus', name: 'load', metadata: { query: `sum(rate(rq{app="${deployment}"}[1m]))`, threshold: '20' } }],
    }),
  },
} as const;
export type ScalerKind = keyof typeof scalers;

export function userScaler({ name, namespace }: Place, kind: ScalerKind): KubeObject {
  const { apiVersion, spec } = scalers[kind];
  return { apiVersion, kind, metadata: { name, namespace, labels: { team: 'shop' } }, spec: spec(name) } as KubeObject;
}

/** The user's labels, and no annotations; `advanced` is always there. */
export function primaryScaler({ name, namespace, owner }: Place, kind: ScalerKind): KubeObject {
  const { apiVersion, spec } = scalers[kind];
  const metadata = { name: `${name}-primary`, namespace, labels: { team: 'shop' }, ownerReferences: [owner] };
  const always = kind === 'ScaledObject' ? { advanced: { horizontalPodAutoscalerConfig: {} } } : {};
  return { apiVersion, kind, metadata, spec: { ...spec(`${name}-primary`), ...always } } as KubeObject;
}
