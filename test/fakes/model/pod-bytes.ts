import type { KubeObject } from '../../../src/api/kube-object.ts';
import { trackingAnnotation } from '../../../src/workloads/configs/tracking.ts';
import type { Raw } from '../raw.ts';

export type Find = (kind: 'ConfigMap' | 'Secret', name: string) => KubeObject | undefined;

const KINDS = {
  configMap: 'ConfigMap',
  configMapRef: 'ConfigMap',
  configMapKeyRef: 'ConfigMap',
  secret: 'Secret',
  secretRef: 'Secret',
  secretKeyRef: 'Secret',
} as const;

/** Replaces the content of a config whose owner wants its changes to take effect directly. */
export const UNTRACKED = 'whatever its owner likes';

/**
 * Bytes of pods of this template, as text: the current content of each ConfigMap and Secret replaces its name. The text is equal for a target and a primary
 * that are equal to their users. `undefined` if pods cannot start because a config is missing.
 */
export function podBytes(template: Raw, find: Find): string | undefined {
  const { labels, annotations } = template.metadata ?? {};
  const { 'flagger-id': _, ...said } = annotations ?? {};
  let isMissing = false;
  const withContents = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(withContents);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([field, held]) => {
        const kind = field in KINDS ? KINDS[field as keyof typeof KINDS] : undefined;
        const name: unknown = held?.name ?? held?.secretName;
        if (kind === undefined || typeof name !== 'string') return [field, withContents(held)];
        const { name: _name, secretName: _secretName, ...rest } = held;
        const found = find(kind, name);
        if (found === undefined && held.optional !== true) isMissing = true;
        return [field, { ...rest, holds: contentOf(found) }];
      }),
    );
  };
  const own = Object.fromEntries(Object.entries(labels ?? {}).map(([key, value]) => [key, String(value).replace(/-primary$/, '')]));
  const text = JSON.stringify([own, said, withContents(template.spec)]);
  return isMissing ? undefined : text;
}

function contentOf(found: KubeObject | undefined): unknown {
  if (found === undefined) return 'nothing';
  return found.metadata.annotations?.[trackingAnnotation] === 'disabled' ? UNTRACKED : [found.data ?? {}, found.binaryData ?? {}];
}
