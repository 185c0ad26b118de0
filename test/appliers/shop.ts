import type { KubeObject, ObjectRef } from '../../src/api/kube-object.ts';
import { raw } from '../fakes/raw.ts';

export const APP = 'shop';
const PORTS = [{ name: 'http', port: 80, targetPort: 'http', protocol: 'TCP' }];

/** Object that the tool applies besides the Deployment; `replicas` is a field of the Deployment. */
export const SUBJECTS = ['Service', 'HTTPRoute', 'VirtualService', 'replicas'] as const;
export type Subject = (typeof SUBJECTS)[number];

/** An application of a user, as one of its tools knows it. */
export interface Shop {
  namespace: string;
  subject: Subject;
}

const isRoute = (subject: Subject): subject is 'HTTPRoute' | 'VirtualService' => subject === 'HTTPRoute' || subject === 'VirtualService';

/** Manifests that the tool applies. */
export const manifests = ({ namespace, subject }: Shop, version: string): KubeObject[] => [
  deployment(namespace, version, subject === 'replicas' ? 2 : undefined),
  ...(subject === 'Service' ? [service(namespace)] : []),
  ...(isRoute(subject) ? [ROUTES[subject](namespace)] : []),
];

/** Objects that another tool has applied once. */
export const surroundings = ({ namespace, subject }: Shop): KubeObject[] => [
  ...(subject === 'Service' ? [] : [service(namespace)]),
  ...(subject === 'HTTPRoute' ? [gateway(namespace)] : []),
];

/** True if the watched object matches the manifest, and not Serin's changes. */
export function isAsInManifest(subject: Subject, object: KubeObject): boolean {
  const { spec } = raw(object);
  if (subject === 'Service') return spec.selector.app === APP;
  if (subject === 'HTTPRoute') return spec.rules[0].backendRefs.length === 1;
  if (subject === 'VirtualService') return spec.http[0].route.length === 1;
  return spec.replicas > 0;
}

export function refOfSubject({ namespace, subject }: Shop): ObjectRef {
  const named = { name: APP, namespace };
  if (subject === 'Service') return { apiVersion: 'v1', kind: 'Service', ...named };
  if (subject === 'HTTPRoute') return { apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute', ...named };
  if (subject === 'VirtualService') return { apiVersion: 'networking.istio.io/v1beta1', kind: 'VirtualService', ...named };
  return { apiVersion: 'apps/v1', kind: 'Deployment', ...named };
}

/** Host and headers of its users' requests. */
export const callOf = ({ namespace, subject }: Shop): { host: string; headers?: Record<string, string> } =>
  subject === 'HTTPRoute'
    ? { host: `${APP}.example.org`, headers: { 'x-serin-gateway': `${namespace}/edge` } }
    : { host: `${APP}.${namespace}` };

/** All traffic goes to one side without routes, and a share of it to the canary with routes. `gate` holds the release before the promotion. */
export function canary({ namespace, subject }: Shop, gate: string): KubeObject {
  const provider = { Service: 'kubernetes', replicas: 'kubernetes', HTTPRoute: 'gatewayapi:v1', VirtualService: 'istio' }[subject];
  const steps = isRoute(subject) ? { stepWeight: 25, maxWeight: 25 } : { iterations: 1 };
  return {
    apiVersion: 'flagger.app/v1beta1',
    kind: 'Canary',
    metadata: { name: APP, namespace },
    spec: {
      provider,
      targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: APP },
      service: { port: 80, targetPort: 'http', ...(subject === 'HTTPRoute' && { gatewayRefs: [{ name: 'edge' }] }) },
      progressDeadlineSeconds: 600,
      analysis: {
        ...{ interval: '1s', threshold: 5, ...steps },
        webhooks: [{ name: 'hold', type: 'confirm-promotion', url: gate }],
      },
    },
  };
}

function deployment(namespace: string, version: string, replicas: number | undefined): KubeObject {
  const labels = { app: APP };
  const container = { name: 'web', image: `web:${version}`, ports: [{ name: 'http', containerPort: 9898 }] };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: APP, namespace, labels: { release: version } },
    spec: {
      ...(replicas !== undefined && { replicas }),
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
  };
}

const service = (namespace: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: APP, namespace },
  spec: { selector: { app: APP }, ports: PORTS },
});

const gateway = (namespace: string): KubeObject => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'Gateway',
  metadata: { name: 'edge', namespace },
  spec: { gatewayClassName: 'embedded', listeners: [{ name: 'http', port: 80, protocol: 'HTTP' }] },
});

const ROUTES = {
  HTTPRoute: (namespace: string): KubeObject => ({
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    metadata: { name: APP, namespace },
    spec: {
      parentRefs: [{ name: 'edge' }],
      hostnames: [`${APP}.example.org`],
      rules: [{ backendRefs: [{ name: APP, port: 80 }] }],
    },
  }),
  VirtualService: (namespace: string): KubeObject => ({
    apiVersion: 'networking.istio.io/v1beta1',
    kind: 'VirtualService',
    metadata: { name: APP, namespace },
    spec: { hosts: [APP], http: [{ timeout: '5s', route: [{ destination: { host: APP, port: { number: 80 } } }] }] },
  }),
};
