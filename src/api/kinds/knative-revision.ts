import type { KubeObject } from '../kube-object.ts';
import type { Condition } from './condition.ts';
import { kindReader } from './kind-reader.ts';

/** A Revision of `serving.knative.dev`. */
export interface KnativeRevision extends KubeObject {
  kind: 'Revision';
  status?: { conditions?: Condition[]; [field: string]: unknown };
}
export const asKnativeRevision = kindReader<KnativeRevision>('Revision');
