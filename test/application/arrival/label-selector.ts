import type { Labels } from '../../../src/api/kube-object.ts';

/** `metav1.LabelSelector` as the Kubernetes API reference defines it. */
export interface LabelSelector {
  matchLabels?: Labels | null;
  matchExpressions?: readonly { key: string; operator: string; values?: readonly string[] | null }[] | null;
}

/** An empty selector matches everything; a null one matches nothing. */
export function selects(selector: LabelSelector | null | undefined, labels: Labels): boolean {
  if (selector === null || selector === undefined) return false;
  const { matchLabels, matchExpressions } = selector;
  if (Object.entries(matchLabels ?? {}).some(([key, value]) => labels[key] !== value)) return false;
  return (matchExpressions ?? []).every(({ key, operator, values }) => {
    const value = labels[key];
    if (operator === 'In') return value !== undefined && (values ?? []).includes(value);
    // As in the API documentation: a missing key is not in any set.
    if (operator === 'NotIn') return value === undefined || !(values ?? []).includes(value);
    if (operator === 'Exists') return value !== undefined;
    if (operator === 'DoesNotExist') return value === undefined;
    throw new Error(`no operator ${operator}`);
  });
}

/** All labels of the map must match; an empty map selects nothing (`Service.spec.selector`). */
export function selectsByMap(map: Labels | null | undefined, labels: Labels): boolean {
  const entries = Object.entries(map ?? {});
  return entries.length > 0 && entries.every(([key, value]) => labels[key] === value);
}
