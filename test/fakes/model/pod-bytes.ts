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

/** In place of what a config holds whose owner wants its changes to take effect directly (03-CT8). */
export const UNTRACKED = 'whatever its owner likes';

/**
 * What pods of this template run, as text: with what each ConfigMap and Secret holds at this moment in place of its name. The same for a
 * target and a primary that are the same to their users. Undefined: pods cannot start, since one of them is missing.
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
