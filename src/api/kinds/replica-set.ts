import type { KubeObject } from '../kube-object.ts';
import type { Condition } from './condition.ts';
import { kindReader } from './kind-reader.ts';
import type { PodWorkloadSpec } from './pod-workload-spec.ts';

export interface ReplicaSet extends KubeObject {
  kind: 'ReplicaSet';
  spec: PodWorkloadSpec;
  status?: {
    observedGeneration?: number;
    replicas?: number;
    readyReplicas?: number;
    availableReplicas?: number;
    terminatingReplicas?: number;
    conditions?: Condition[];
    [field: string]: unknown;
  };
}
export const asReplicaSet = kindReader<ReplicaSet>('ReplicaSet');
