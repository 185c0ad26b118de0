import type { Labels } from '../kube-object.ts';
import type { LabelRequirement } from './label-selector.ts';

/** A pod template as raw JSON; unknown fields pass through. */
export interface PodTemplate {
  metadata?: { name?: string; labels?: Labels; annotations?: Labels; [field: string]: unknown };
  spec: PodSpec;
  [field: string]: unknown;
}

export interface PodSpec {
  containers?: Container[];
  initContainers?: Container[];
  nodeName?: string;
  nodeSelector?: Labels;
  affinity?: SchedulingAffinity;
  tolerations?: Toleration[];
  readinessGates?: { conditionType: string }[];
  schedulingGates?: { name: string }[];
  terminationGracePeriodSeconds?: number;
  [field: string]: unknown;
}

export interface Container {
  name: string;
  image?: string;
  env?: { name: string; value?: string }[];
  ports?: ContainerPort[];
  readinessProbe?: Probe;
  resources?: { requests?: Record<string, string | number>; limits?: Record<string, string | number> };
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

export interface Probe {
  httpGet?: { path?: string };
  initialDelaySeconds?: number;
  periodSeconds?: number;
  successThreshold?: number;
  failureThreshold?: number;
}

export interface SchedulingAffinity {
  nodeAffinity?: {
    requiredDuringSchedulingIgnoredDuringExecution?: { nodeSelectorTerms?: NodeSelectorTerm[] };
    [field: string]: unknown;
  };
  podAntiAffinity?: Record<string, unknown>;
  [field: string]: unknown;
}

/** Terms are alternatives; the requirements of one hold together. */
export interface NodeSelectorTerm {
  matchExpressions?: NodeRequirement[];
  matchFields?: NodeRequirement[];
}

export type NodeRequirement = LabelRequirement;

export interface Toleration {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
}
