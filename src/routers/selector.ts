import type { KubeObject } from '../api/kube-object.ts';

/** The first of `--selector-labels` by which the target finds its pods (03 W12). */
export function resolveSelector(target: KubeObject, selectorLabels: readonly string[]): { key: string; value: string } | { error: string } {
  const labels: Readonly<Record<string, string>> = target.spec?.selector?.matchLabels ?? {};
  const key = selectorLabels.find((label) => Object.hasOwn(labels, label));
  const value = key === undefined ? undefined : labels[key];
  if (key === undefined || value === undefined)
    return { error: `${target.kind} ${target.metadata.name} has none of ${selectorLabels.join(', ')} in spec.selector.matchLabels` };
  return { key, value };
}
