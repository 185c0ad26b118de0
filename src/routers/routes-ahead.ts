import type { Canary } from '../api/canary.ts';
import { allToPrimary, type Routes, weight } from '../api/routes.ts';

/** Every form of routes that a release of this Canary can come to, so that nothing is refused in the middle of one. */
export function routesAhead(canary: Canary): Routes[] {
  const { match, mirror, mirrorWeight = 0, sessionAffinity } = canary.spec.analysis;
  const pair = (name: string | undefined) => (name ? `${name}=abcdefghij` : undefined);
  const [ours, primary] = [pair(sessionAffinity?.cookieName), pair(sessionAffinity?.primaryCookieName)];
  const affinity = ours === undefined ? {} : { affinity: { canary: ours, ...(primary === undefined ? {} : { primary }) } };
  const share = weight(mirrorWeight > 0 ? Math.min(100, mirrorWeight) : 100);
  return [
    allToPrimary,
    { kind: 'weighted', canary: weight(50), ...affinity },
    ...(match?.length ? [{ kind: 'matched', match, ...affinity } as const] : []),
    ...(mirror ? [{ kind: 'mirrored', share } as const] : []),
  ];
}
