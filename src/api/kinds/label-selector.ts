import type { Labels } from '../kube-object.ts';

/** A Kubernetes LabelSelector. */
export interface LabelSelector {
  matchLabels?: Labels;
  matchExpressions?: LabelRequirement[];
  [field: string]: unknown;
}

export interface LabelRequirement {
  key: string;
  operator: string;
  values?: string[];
}
