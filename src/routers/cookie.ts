import type { Canary } from '../api/canary.ts';
import { parseDuration } from '../api/duration.ts';
import type { Affinity } from '../api/routes.ts';
import { escapeRegex, unescapeRegex } from './regex-text.ts';

const DEFAULT_MAX_AGE_SECONDS = 86_400;
const DEFAULT_INTERVAL_MS = 60_000;

/** `Set-Cookie` text of a `name=value` pair, attributes in Flagger's order. Seconds. */
export function setCookie(canary: Canary, pair: string, maxAgeSeconds: number): string {
  const affinity = canary.spec.analysis.sessionAffinity;
  const parts = [pair, `Max-Age=${maxAgeSeconds}`];
  if (affinity?.domain) parts.push(`Domain=${affinity.domain}`);
  if (affinity?.httpOnly) parts.push('HttpOnly');
  if (affinity?.partitioned) parts.push('Partitioned');
  if (affinity?.path) parts.push(`Path=${affinity.path}`);
  if (affinity?.sameSite) parts.push(`SameSite=${affinity.sameSite}`);
  if (affinity?.secure) parts.push('Secure');
  return parts.join('; ');
}

/** The `Set-Cookie` text that each side adds to its answers. */
export interface SideCookies {
  primary?: string;
  canary?: string;
}

/** The cookies of a release, as the sides that keep their users set them. */
export function cookiesSet(canary: Canary, affinity: Affinity): SideCookies {
  return {
    ...(affinity.primary ? { primary: setCookie(canary, affinity.primary, primaryCookieSeconds(canary)) } : {}),
    ...(affinity.canary ? { canary: setCookie(canary, affinity.canary, canaryCookieSeconds(canary)) } : {}),
  };
}

/** The role of the cookie in a pair, by its rule: from the `Set-Cookie` texts of its answers, and its weight for the canary. */
export function cookieRole(canary: Canary, pair: string, answers: readonly string[], canaryWeight: number): keyof Affinity {
  if (answers.some((text) => text.startsWith(`${pair};`) && /; *Max-Age=-/.test(text))) return 'previous';
  const configured = canary.spec.analysis.sessionAffinity;
  const name = pair.slice(0, pair.indexOf('='));
  if (configured && name === configured.cookieName) return 'canary';
  if (configured && name === configured.primaryCookieName) return 'primary';
  return canaryWeight > 0 ? 'canary' : 'primary';
}

/** `sessionAffinity.maxAge`; 0 counts as absent, as in Flagger. */
export function canaryCookieSeconds(canary: Canary): number {
  return canary.spec.analysis.sessionAffinity?.maxAge || DEFAULT_MAX_AGE_SECONDS;
}

/** The primary's cookie lasts one interval, so that its users are assigned again at each step. */
export function primaryCookieSeconds(canary: Canary): number {
  return Math.max(1, Math.round((parseDuration(canary.spec.analysis.interval) ?? DEFAULT_INTERVAL_MS) / 1000));
}

/** RE2 pattern of a Cookie header that holds this very pair; names and values do not match inside others. */
export function cookiePattern(pair: string): string {
  return `(.*; ?)?${escapeRegex(pair)}(;.*)?`;
}

/** The pair of a pattern of ours, or of Flagger's `.*name.*value.*`. */
export function pairOfPattern(pattern: string): string | undefined {
  const ours = /^\(\.\*; \?\)\?(.+)\(;\.\*\)\?$/s.exec(pattern)?.[1];
  if (ours !== undefined) return unescapeRegex(ours);
  if (pattern.length < 4 || !pattern.startsWith('.*') || !pattern.endsWith('.*')) return undefined;
  const pair = pattern.slice(2, -2);
  // Name and value have a character each.
  const at = pair.lastIndexOf('.*', pair.length - 3);
  return at < 1 ? undefined : `${pair.slice(0, at)}=${pair.slice(at + 2)}`;
}
