import type { KubeObject } from '../kube-object.ts';
import { kindReader } from './kind-reader.ts';

/** A ConfigMap or a Secret. */
export interface Config extends KubeObject {
  kind: 'ConfigMap' | 'Secret';
  data?: Record<string, string>;
  binaryData?: Record<string, string>;
  /** Of Secrets. */
  type?: string;
}
export const asConfig = kindReader<Config>('ConfigMap', 'Secret');
