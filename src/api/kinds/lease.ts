import type { KubeObject } from '../kube-object.ts';
import { kindReader } from './kind-reader.ts';

export interface Lease extends KubeObject {
  kind: 'Lease';
  spec?: LeaseSpec;
}
export const asLease = kindReader<Lease>('Lease');

export interface LeaseSpec {
  holderIdentity?: string;
  leaseDurationSeconds?: number;
  acquireTime?: string;
  renewTime?: string;
  leaseTransitions?: number;
  [field: string]: unknown;
}
