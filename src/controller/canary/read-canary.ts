import type { Canary } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { parseCanary } from '../../api/parse-canary.ts';

/** The Canary, where it can be read at all. */
export function readCanary(raw: KubeObject): Canary | undefined {
  const parsed = parseCanary(raw);
  return 'canary' in parsed ? parsed.canary : undefined;
}

/** `namespace/name`. */
export const labelOf = ({ metadata }: { metadata: { namespace: string; name: string } }): string =>
  `${metadata.namespace}/${metadata.name}`;
