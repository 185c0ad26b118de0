import type { KubeObject } from '../kube-object.ts';
import type { Condition } from './condition.ts';
import { kindReader } from './kind-reader.ts';
import type { PodSpec } from './pod-template.ts';

export interface Pod extends KubeObject {
  kind: 'Pod';
  spec: PodSpec;
  status?: {
    phase?: string;
    reason?: string;
    message?: string;
    podIP?: string;
    startTime?: string;
    conditions?: Condition[];
    containerStatuses?: ContainerStatus[];
    initContainerStatuses?: ContainerStatus[];
    [field: string]: unknown;
  };
}
export const asPod = kindReader<Pod>('Pod');

export interface ContainerStatus {
  name: string;
  restartCount?: number;
  ready?: boolean;
  state?: ContainerState;
  lastState?: ContainerState;
  [field: string]: unknown;
}

/** State of a container; one of the fields is set. */
export interface ContainerState {
  waiting?: { reason?: string; message?: string; [field: string]: unknown };
  running?: { startedAt?: string; [field: string]: unknown };
  terminated?: { exitCode?: number; reason?: string; message?: string; finishedAt?: string; [field: string]: unknown };
}
