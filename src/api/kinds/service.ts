import type { KubeObject, Labels } from '../kube-object.ts';
import { kindReader } from './kind-reader.ts';

/** A Service of the core API. */
export interface Service extends KubeObject {
  kind: 'Service';
  spec?: ServiceSpec;
}
export const asService = kindReader<Service>('Service');

export interface ServiceSpec {
  ports?: ServicePort[];
  selector?: Labels;
  type?: string;
  clusterIP?: string;
  [field: string]: unknown;
}

export interface ServicePort {
  name?: string;
  port: number;
  protocol?: string;
  nodePort?: number;
  [field: string]: unknown;
}
