import type { LabelSelector } from '../api/kinds/label-selector.ts';
import type { Labels } from '../api/kube-object.ts';
import type { SelectorLabels } from '../api/selector-label.ts';
import { keysOf, selects, swapValues } from './label-selector.ts';

interface SpreadTerm {
  labelSelector?: LabelSelector;
  namespaces?: string[];
  namespaceSelector?: LabelSelector;
  [field: string]: unknown;
}
type SpreadPodSpec = Record<string, unknown> & {
  topologySpreadConstraints?: SpreadTerm[];
  affinity?: { podAntiAffinity?: Record<string, unknown>; [field: string]: unknown };
};

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

/**
 * The pod spec in which terms that spread the target's own pods spread the primary's. A term changes exactly if it selects the target's own pods,
 * and only in the selector label, in which the two differ; then it selects the primary's in the same way. Terms on other pods, pod affinity and
 * unknown fields do not change.
 */
export function rewriteSpreadTerms(
  podSpec: SpreadPodSpec,
  own: { labels: Labels; namespace: string; selector: SelectorLabels },
): SpreadPodSpec {
  const rewrite = (term: SpreadTerm): SpreadTerm => {
    const { labelSelector } = term;
    if (!labelSelector || !reaches(term, own.namespace) || !selects(labelSelector, own.labels)) return term;
    const { key, target, primary } = own.selector;
    return { ...term, labelSelector: swapValues(labelSelector, key, target, primary) };
  };
  return mapTerms(podSpec, rewrite);
}

/** The label keys by which pods are spread: a copy of the pods has to keep them. */
export function spreadKeys(podSpec: SpreadPodSpec): Set<string> {
  const keys = new Set<string>();
  mapTerms(podSpec, (term) => {
    for (const key of keysOf(term.labelSelector)) keys.add(key);
    return term;
  });
  return keys;
}

/** Also takes a manifest without a spec, which no API server has seen. */
function mapTerms(podSpec: SpreadPodSpec = {}, map: (term: SpreadTerm) => SpreadTerm): SpreadPodSpec {
  const { topologySpreadConstraints, affinity } = podSpec;
  const antiAffinity = affinity?.podAntiAffinity;
  return {
    ...podSpec,
    ...(topologySpreadConstraints && { topologySpreadConstraints: topologySpreadConstraints.map(map) }),
    ...(antiAffinity && { affinity: { ...affinity, podAntiAffinity: mapAntiAffinity(antiAffinity, map) } }),
  };
}

function mapAntiAffinity(antiAffinity: Record<string, unknown>, map: (term: SpreadTerm) => SpreadTerm): Record<string, unknown> {
  const required = antiAffinity[REQUIRED] as SpreadTerm[] | undefined;
  const preferred = antiAffinity[PREFERRED] as { podAffinityTerm?: SpreadTerm }[] | undefined;
  return {
    ...antiAffinity,
    ...(required && { [REQUIRED]: required.map(map) }),
    ...(preferred && {
      [PREFERRED]: preferred.map((entry) => (entry.podAffinityTerm ? { ...entry, podAffinityTerm: map(entry.podAffinityTerm) } : entry)),
    }),
  };
}

/** The term selects pods of this namespace. Only the name label of a namespace is known, so that a term with other labels is not changed. */
function reaches(term: SpreadTerm, namespace: string): boolean {
  if (term.namespaces?.includes(namespace)) return true;
  if (term.namespaceSelector) return selects(term.namespaceSelector, { 'kubernetes.io/metadata.name': namespace });
  return !term.namespaces?.length;
}
