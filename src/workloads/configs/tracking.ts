import { asConfig } from '../../api/kinds/config.ts';
import type { KubeObject } from '../../api/kube-object.ts';

/** On a ConfigMap or Secret: changes take effect directly and start no release (03-CT8). */
export const trackingAnnotation = 'flagger.app/config-tracking';

/** Secrets of other types are left alone: registry credentials, tokens, Helm's own records (03-CT7). */
const TRACKED_TYPES = new Set(['Opaque', 'kubernetes.io/basic-auth', 'kubernetes.io/ssh-auth', 'kubernetes.io/tls']);

/** Its owner opted out; metadata shows it. */
export function isOptedOut({ metadata }: Pick<KubeObject, 'metadata'>): boolean {
  return metadata.annotations?.[trackingAnnotation]?.startsWith('disable') ?? false;
}

/** Whether a change of this config is a new revision, and the primary gets a copy of it. */
export function isTracked(config: KubeObject): boolean {
  if (isOptedOut(config)) return false;
  return config.kind !== 'Secret' || TRACKED_TYPES.has(asConfig(config).type ?? 'Opaque');
}
