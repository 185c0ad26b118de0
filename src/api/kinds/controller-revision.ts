import type { KubeObject } from '../kube-object.ts';
import { kindReader } from './kind-reader.ts';

/** Its `data` are another writer's and of any shape. */
export interface ControllerRevision extends KubeObject {
  kind: 'ControllerRevision';
  revision: number;
  data?: unknown;
}
export const asControllerRevision = kindReader<ControllerRevision>('ControllerRevision');
