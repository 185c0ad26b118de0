import type { LabelSelector } from './label-selector.ts';
import type { PodTemplate } from './pod-template.ts';

/** Fields of the spec that kinds with a pod template share. */
export interface PodWorkloadSpec {
  selector: LabelSelector;
  template: PodTemplate;
  replicas?: number;
  minReadySeconds?: number;
  paused?: boolean;
  revisionHistoryLimit?: number;
  [field: string]: unknown;
}

/** Pods, or a percentage of them. */
export interface RolloutBounds {
  maxSurge?: number | string;
  maxUnavailable?: number | string;
}
