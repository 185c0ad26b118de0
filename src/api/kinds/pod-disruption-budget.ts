import type { KubeObject } from '../kube-object.ts';
import type { Condition } from './condition.ts';
import { kindReader } from './kind-reader.ts';
import type { LabelSelector } from './label-selector.ts';

/** Of `policy/v1`. */
export interface PodDisruptionBudget extends KubeObject {
  kind: 'PodDisruptionBudget';
  spec: {
    /** Absent for no pod; empty for every pod of the namespace. */
    selector?: LabelSelector;
    /** At most one of the two: a number of pods, or a percentage of the desired pods of their controllers. */
    minAvailable?: number | string;
    maxUnavailable?: number | string;
    unhealthyPodEvictionPolicy?: string;
    [field: string]: unknown;
  };
  status?: {
    currentHealthy?: number;
    desiredHealthy?: number;
    disruptionsAllowed?: number;
    expectedPods?: number;
    observedGeneration?: number;
    /** Pods whose eviction was accepted and not yet seen, by name, with its time. */
    disruptedPods?: Readonly<Record<string, string>>;
    conditions?: Condition[];
    [field: string]: unknown;
  };
}
export const asPodDisruptionBudget = kindReader<PodDisruptionBudget>('PodDisruptionBudget');
