import type { LabelRequirement, LabelSelector } from '../api/kinds/label-selector.ts';
import { asPodWorkload } from '../api/kinds/pod-workload.ts';
import type { Labels, Slim } from '../api/kube-object.ts';

/** The selector matches these labels; an absent selector matches nothing, an empty one everything (Kubernetes API). */
export function selects(selector: LabelSelector | undefined, labels: Labels): boolean {
  if (!selector) return false;
  return (
    Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value) &&
    (selector.matchExpressions ?? []).every((expression) => holds(expression, labels))
  );
}

/** The label keys in a selector. */
export function keysOf(selector: LabelSelector | undefined): string[] {
  return [...Object.keys(selector?.matchLabels ?? {}), ...(selector?.matchExpressions ?? []).map(({ key }) => key)];
}

/** The selector with two values of one key swapped. Pods whose label is swapped in the same way are then selected exactly as before, with any operators. */
export function swapValues(selector: LabelSelector, key: string, one: string, other: string): LabelSelector {
  const swap = (value: string) => (value === one ? other : value === other ? one : value);
  const { matchLabels, matchExpressions } = selector;
  return {
    ...selector,
    ...(matchLabels && {
      matchLabels: Object.fromEntries(Object.entries(matchLabels).map(([k, value]) => [k, k === key ? swap(value) : value])),
    }),
    ...(matchExpressions && {
      matchExpressions: matchExpressions.map((expression) =>
        expression.key === key && expression.values ? { ...expression, values: expression.values.map(swap) } : expression,
      ),
    }),
  };
}

function holds({ key, operator, values = [] }: { key: string; operator: string; values?: string[] }, labels: Labels): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      // A future operator: its result is not known, so the term is not changed.
      return false;
  }
}

/** The selector in the form of a LIST request; undefined if one of its operators is not known. */
export function selectorText(selector: LabelSelector | undefined): string | undefined {
  const equal = Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  const others = (selector?.matchExpressions ?? []).map(requirementText);
  return others.includes(undefined) ? undefined : [...equal, ...others].join(',');
}

function requirementText({ key, operator, values = [] }: LabelRequirement): string | undefined {
  switch (operator) {
    case 'In':
      return `${key} in (${values.join(',')})`;
    case 'NotIn':
      return `${key} notin (${values.join(',')})`;
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
    default:
      return undefined;
  }
}

/** The label selector by which the API lists the pods of a workload; undefined where it selects none, or cannot be written. */
export function podSelector(object: Slim): string | undefined {
  return selectorText(asPodWorkload(object).spec?.selector) || undefined;
}
