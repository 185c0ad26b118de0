import type { KubeObject } from '../kube-object.ts';
import type { DaemonSet } from './daemon-set.ts';
import type { Deployment } from './deployment.ts';
import { kindReader } from './kind-reader.ts';
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

export type PodWorkload = Deployment | DaemonSet;
export const asPodWorkload = kindReader<PodWorkload & KubeObject>('Deployment', 'DaemonSet');
