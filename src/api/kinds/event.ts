import type { KubeObject, ObjectRef } from '../kube-object.ts';
import { kindReader } from './kind-reader.ts';

/** Of the core API. */
export interface KubeEvent extends KubeObject {
  kind: 'Event';
  involvedObject: Partial<ObjectRef> & { uid?: string };
  type?: string;
  reason?: string;
  message?: string;
  count?: number;
  series?: { count?: number };
  source?: { component?: string };
  reportingComponent?: string;
}
export const asEvent = kindReader<KubeEvent>('Event');
