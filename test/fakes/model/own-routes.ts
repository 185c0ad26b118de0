import type { CanaryCondition } from '../../../src/api/canary-status.ts';
import type { KubeObject, Labels } from '../../../src/api/kube-object.ts';
import { raw } from '../raw.ts';
import { type ModelLab, NAMESPACE } from './lab.ts';

/** Hosts of the Canary's own route, and of the user's. */
export const [OWN, OTHER] = ['shop.example.org', 'other.example.org'];
const metadata = (annotations?: Labels) => ({ name: 'static', namespace: NAMESPACE, ...(annotations && { annotations }) });

/** A provider whose route Serin makes, and a route of the user's that leads to another Service. */
export const kinds = {
  HTTPRoute: {
    spec: { provider: 'gatewayapi:v1', service: { gatewayRefs: [{ name: 'public', namespace: 'edge' }] } },
    hosts: 'hostnames',
    route: (host: string, annotations?: Labels): KubeObject => ({
      ...{ apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute', metadata: metadata(annotations) },
      spec: {
        ...{ parentRefs: [{ name: 'public', namespace: 'edge' }], hostnames: [host] },
        rules: [{ backendRefs: [{ name: 'static', port: 80 }] }],
      },
    }),
  },
  VirtualService: {
    spec: { provider: 'istio', service: { gateways: ['edge/public'] } },
    hosts: 'hosts',
    route: (host: string, annotations?: Labels): KubeObject => ({
      ...{ apiVersion: 'networking.istio.io/v1beta1', kind: 'VirtualService', metadata: metadata(annotations) },
      spec: { hosts: [host], gateways: ['edge/public'], http: [{ route: [{ destination: { host: 'static' } }] }] },
    }),
  },
} as const;
export type Kind = keyof typeof kinds;
export const each = Object.keys(kinds) as Kind[];

export const serviceOf = (kind: Kind, hosts: readonly string[]) => ({ port: 80, targetPort: 'http', ...kinds[kind].spec.service, hosts });
export const conditionOf = (lab: ModelLab, type: string): CanaryCondition | undefined =>
  raw(lab.canary())?.status?.conditions?.find((one: CanaryCondition) => one.type === type);
