import type { KubeObject } from '../kube-object.ts';
import type { Condition } from './condition.ts';
import { kindReader } from './kind-reader.ts';
import type { PodWorkloadSpec, RolloutBounds } from './pod-workload-spec.ts';

export interface Deployment extends KubeObject {
  kind: 'Deployment';
  spec: PodWorkloadSpec & {
    progressDeadlineSeconds?: number;
    strategy?: { type?: string; rollingUpdate?: RolloutBounds };
  };
  status?: {
    observedGeneration?: number;
    replicas?: number;
    updatedReplicas?: number;
    readyReplicas?: number;
    availableReplicas?: number;
    unavailableReplicas?: number;
    collisionCount?: number;
    conditions?: Condition[];
    [field: string]: unknown;
  };
}

export const asDeployment = kindReader<Deployment>('Deployment');
