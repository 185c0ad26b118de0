import type { KubeObject, ObjectRef } from '../kube-object.ts';
import type { Condition } from './condition.ts';
import { kindReader } from './kind-reader.ts';

/** Of `autoscaling/v2`. */
export interface HorizontalPodAutoscaler extends KubeObject {
  kind: 'HorizontalPodAutoscaler';
  spec: {
    scaleTargetRef: { apiVersion: string; kind: string; name: string };
    minReplicas?: number;
    maxReplicas: number;
    metrics?: HpaMetric[];
    behavior?: { scaleUp?: Partial<HpaScalingRules>; scaleDown?: Partial<HpaScalingRules> };
    [field: string]: unknown;
  };
  status?: { lastScaleTime?: string; conditions?: Condition[]; [field: string]: unknown };
}
export const asHorizontalPodAutoscaler = kindReader<HorizontalPodAutoscaler>('HorizontalPodAutoscaler');

export function scaleTargetRefOf({ metadata: { namespace }, spec }: HorizontalPodAutoscaler): ObjectRef {
  return { ...spec.scaleTargetRef, ...(namespace === undefined ? {} : { namespace }) };
}

export type HpaMetric =
  | { type: 'Resource'; resource: HpaResource }
  | { type: 'Object'; object: HpaNamedMetric }
  | { type: 'External'; external: HpaNamedMetric }
  | { type: 'ContainerResource' | 'Pods' };

export interface HpaResource {
  name: string;
  target: HpaMetricTarget;
}

export interface HpaNamedMetric {
  metric: { name: string };
  target: HpaMetricTarget;
}

export interface HpaMetricTarget {
  type: string;
  averageUtilization?: number;
  averageValue?: string;
  value?: string;
}

export interface HpaScalingRules {
  stabilizationWindowSeconds: number;
  selectPolicy: string;
  policies: readonly { type: 'Pods' | 'Percent'; value: number; periodSeconds: number }[];
}
