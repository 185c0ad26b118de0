import type { KubeObject } from '../kube-object.ts';
import { kindReader } from './kind-reader.ts';

/** Of `networking.k8s.io/v1`. */
export interface Ingress extends KubeObject {
  kind: 'Ingress';
  spec?: { ingressClassName?: string; rules?: IngressRule[]; [field: string]: unknown };
}
export const asIngress = kindReader<Ingress>('Ingress');

export interface IngressRule {
  host?: string;
  http?: { paths?: Record<string, unknown>[] };
}
