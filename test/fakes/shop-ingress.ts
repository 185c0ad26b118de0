import type { KubeObject } from '../../src/api/kube-object.ts';
import { NAMESPACE } from './model/lab.ts';

const apiVersion = 'networking.k8s.io/v1';

/** The Ingress of `shop`, as a reference. */
export const ingressRef = { apiVersion, kind: 'Ingress', name: 'shop', namespace: NAMESPACE };
/** Fields in the spec of a Canary that this Ingress routes. */
export const routedByIngress = { provider: 'nginx', ingressRef: { apiVersion, kind: 'Ingress', name: 'shop' } };

export const leadingTo = (service: string) => ({
  rules: [{ http: { paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: service, port: { number: 80 } } } }] } }],
});

export const anIngress = (service: string): KubeObject => ({
  apiVersion,
  kind: 'Ingress',
  metadata: { name: 'shop', namespace: NAMESPACE },
  spec: leadingTo(service),
});
