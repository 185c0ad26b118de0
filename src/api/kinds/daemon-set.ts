import type { KubeObject } from '../kube-object.ts';
import { kindReader } from './kind-reader.ts';
import type { PodWorkloadSpec, RolloutBounds } from './pod-workload-spec.ts';

export interface DaemonSet extends KubeObject {
  kind: 'DaemonSet';
  spec: PodWorkloadSpec & { updateStrategy?: { type?: string; rollingUpdate?: RolloutBounds } };
  status?: {
    observedGeneration?: number;
    currentNumberScheduled?: number;
    desiredNumberScheduled?: number;
    numberAvailable?: number;
    numberMisscheduled?: number;
    updatedNumberScheduled?: number;
    [field: string]: unknown;
  };
}
export const asDaemonSet = kindReader<DaemonSet>('DaemonSet');
