import type { KubeObject } from '../kube-object.ts';
import type { Condition } from './condition.ts';
import { kindReader } from './kind-reader.ts';
import type { PodWorkloadSpec } from './pod-workload.ts';

export interface Deployment extends KubeObject {
  kind: 'Deployment';
  spec: PodWorkloadSpec;
  status?: {
    observedGeneration?: number;
    replicas?: number;
    updatedReplicas?: number;
    availableReplicas?: number;
    unavailableReplicas?: number;
    conditions?: Condition[];
    [field: string]: unknown;
  };
}
export const asDeployment = kindReader<Deployment>('Deployment');
