import { asPodWorkload } from './kinds/pod-workload.ts';
import type { Labels, Slim } from './kube-object.ts';

/** The label whose value is `value` on the canary's pods and `primaryValue(value)` on the primary's. */
export interface SelectorLabel {
  key: string;
  value: string;
}

/** Longest label value that Kubernetes accepts. */
const MAX_LABEL_LENGTH = 63;

/** The value of the selector label on the primary. */
export function primaryValue(value: string): string {
  return `${value}-primary`;
}

/** Why an object cannot be used, and which of its fields decides that. */
export interface FieldProblem {
  problem: string;
  field: string;
}

/** The first of `selectorLabels` that the target selects its pods by (03-W12), or why there is none (03-B28: said early). */
export function resolveSelector(target: Slim, selectorLabels: readonly string[]): SelectorLabel | FieldProblem {
  const labels: Labels = asPodWorkload(target).spec?.selector?.matchLabels ?? {};
  const name = `${target.kind} ${target.metadata.name}`;
  const key = selectorLabels.find((candidate) => Object.hasOwn(labels, candidate));
  const value = key === undefined ? undefined : labels[key];
  if (key === undefined || value === undefined) {
    const field = 'spec.selector.matchLabels';
    const remedy = 'make it anew with one of them, since a selector never changes, or let --selector-labels name what it has';
    return { problem: `${name}: ${field} has none of ${selectorLabels.join(', ')}: ${remedy}`, field };
  }
  if (primaryValue(value).length > MAX_LABEL_LENGTH) {
    const field = `spec.selector.matchLabels.${key}`;
    return { problem: `${name}: ${field} must be at most ${MAX_LABEL_LENGTH - 8} characters, so that -primary can be added`, field };
  }
  return { key, value };
}
