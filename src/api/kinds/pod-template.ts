import type { Labels } from '../kube-object.ts';

/** A pod template as raw JSON; unknown fields pass through. */
export interface PodTemplate {
  metadata?: { labels?: Labels; annotations?: Labels; [field: string]: unknown };
  spec: PodSpec;
  [field: string]: unknown;
}

export interface PodSpec {
  containers?: Container[];
  initContainers?: Container[];
  nodeName?: string;
  nodeSelector?: Labels;
  terminationGracePeriodSeconds?: number;
  [field: string]: unknown;
}

export interface Container {
  name: string;
  ports?: ContainerPort[];
  /** `Always` makes an init container a sidecar. */
  restartPolicy?: string;
  [field: string]: unknown;
}

export interface ContainerPort {
  containerPort: number;
  name?: string;
  protocol?: string;
  [field: string]: unknown;
}
