import type { KubeObject } from '../kube-object.ts';
import type { Condition } from './condition.ts';
import { kindReader } from './kind-reader.ts';
import type { PodSpec } from './pod-template.ts';

/** A Revision of `serving.knative.dev`. */
export interface KnativeRevision extends KubeObject {
  kind: 'Revision';
  spec?: PodSpec & { timeoutSeconds?: number };
  status?: { conditions?: Condition[]; [field: string]: unknown };
}
export const asKnativeRevision = kindReader<KnativeRevision>('Revision');
