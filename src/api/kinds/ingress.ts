import type { KubeObject } from '../kube-object.ts';
import { kindReader } from './kind-reader.ts';

/** Of `networking.k8s.io/v1`. */
export interface Ingress extends KubeObject {
  kind: 'Ingress';
  spec?: { ingressClassName?: string; rules?: IngressRule[]; [field: string]: unknown };
}
export const asIngress = kindReader<Ingress>('Ingress');

/** One path of an Ingress rule, as raw JSON. */
export interface IngressPath {
  path?: string;
  pathType?: string;
  backend?: { service?: { name?: string; port?: unknown }; [field: string]: unknown };
}

export interface IngressRule {
  host?: string;
  http?: { paths?: IngressPath[] };
}
