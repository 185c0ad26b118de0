import type { KubeObject } from '../kube-object.ts';
import type { Condition } from './condition.ts';
import { kindReader } from './kind-reader.ts';
import type { PodTemplate } from './pod-template.ts';

/** A Service of `serving.knative.dev`. */
export interface KnativeService extends KubeObject {
  kind: 'Service';
  spec?: { template?: Partial<PodTemplate>; traffic?: KnativeTraffic[]; [field: string]: unknown };
  status?: {
    latestCreatedRevisionName?: string;
    latestReadyRevisionName?: string;
    conditions?: Condition[];
    traffic?: KnativeTraffic[];
    [field: string]: unknown;
  };
}
export const asKnativeService = kindReader<KnativeService>('Service');

/** An entry of `spec.traffic` and of `status.traffic`. */
export interface KnativeTraffic {
  revisionName?: string;
  latestRevision?: boolean;
  percent?: number;
  tag?: string;
  url?: string;
  [field: string]: unknown;
}
