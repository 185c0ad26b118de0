import type { Labels } from '../kube-object.ts';

/** A Kubernetes LabelSelector. */
export interface LabelSelector {
  matchLabels?: Labels;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
  [field: string]: unknown;
}
