import type { KubeObject } from '../kube-object.ts';
import type { Condition } from './condition.ts';
import { kindReader } from './kind-reader.ts';

export interface Node extends KubeObject {
  kind: 'Node';
  spec?: { taints?: Taint[]; unschedulable?: boolean; [field: string]: unknown };
  status?: { allocatable?: { cpu?: string; memory?: string }; conditions?: Condition[]; [field: string]: unknown };
}
export const asNode = kindReader<Node>('Node');

export interface Taint {
  key: string;
  value?: string;
  effect: string;
}
