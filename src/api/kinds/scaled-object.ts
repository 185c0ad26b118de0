import type { KubeObject } from '../kube-object.ts';

/** A ScaledObject of KEDA. Its triggers can have any shape: `primaryTriggers` parses them. */
export interface ScaledObject extends KubeObject {
  kind: 'ScaledObject';
  spec: {
    scaleTargetRef: { apiVersion?: string; kind?: string; name: string };
    minReplicaCount?: number;
    maxReplicaCount?: number;
    triggers?: { type?: string; metadata?: { threshold?: unknown } }[];
    advanced?: { horizontalPodAutoscalerConfig?: { name?: string } };
    [field: string]: unknown;
  };
}
