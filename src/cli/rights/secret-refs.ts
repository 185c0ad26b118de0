import { isRecord } from '../../base/json.ts';

/** A field that names a Secret. */
export interface SecretRefAt {
  /** Path like `spec.analysis.webhooks[0].secretRef`. */
  path: string;
  name: string;
}

/** Every `secretRef` and `…SecretRef` of a spec. */
export function secretRefsIn(value: unknown, path = 'spec'): SecretRefAt[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => secretRefsIn(item, `${path}[${index}]`));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const name: unknown = /secretRef$/i.test(key) && isRecord(inner) ? inner.name : undefined;
    return typeof name === 'string' ? [{ path: `${path}.${key}`, name }] : secretRefsIn(inner, `${path}.${key}`);
  });
}
