import type { KubeObject } from '../kube-object.ts';
import { kindReader } from './kind-reader.ts';

/** An HPA or a ScaledObject, which spell their limits differently. */
export interface ScalerObject extends KubeObject {
  kind: 'HorizontalPodAutoscaler' | 'ScaledObject';
  spec?: ScalerSpec;
}
export const asScaler = kindReader<ScalerObject>('HorizontalPodAutoscaler', 'ScaledObject');

export interface ScalerSpec {
  scaleTargetRef?: { apiVersion?: string; kind?: string; name?: string; [field: string]: unknown };
  /** Of ScaledObjects, in any shape. */
  triggers?: unknown;
  [field: string]: unknown;
}
