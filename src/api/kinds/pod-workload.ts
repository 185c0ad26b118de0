import type { KubeObject } from '../kube-object.ts';
import type { DaemonSet } from './daemon-set.ts';
import type { Deployment } from './deployment.ts';
import { kindReader } from './kind-reader.ts';

export type PodWorkload = Deployment | DaemonSet;
export const asPodWorkload = kindReader<PodWorkload & KubeObject>('Deployment', 'DaemonSet');
