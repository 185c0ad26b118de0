import { isDeepStrictEqual } from 'node:util';
import type { HttpMatch } from '../api/routes.ts';
import { ifExpressible } from './routing-error.ts';

/** The conditions that the Canary requires, if `found` is their rendered form: several conditions can look the same in an object. */
export function askedMatch<Rendered>(
  asked: readonly HttpMatch[] | undefined,
  found: Rendered,
  render: (match: readonly HttpMatch[]) => Rendered,
): HttpMatch[] | undefined {
  if (
    !asked?.length ||
    !isDeepStrictEqual(
      ifExpressible(() => render(asked)),
      found,
    )
  )
    return undefined;
  return structuredClone([...asked]);
}

/**
 * The conditions in routes that hold each of them once for every condition of `service.match`: `subtract` takes the first of those away.
 * Undefined where an entry says nothing of its own.
 */
export function splitMerged<Match extends object>(
  merged: readonly Match[],
  service: readonly Match[],
  subtract: (match: Match, base: Partial<Match>) => HttpMatch,
): HttpMatch[] | undefined {
  const width = Math.max(service.length, 1);
  const entries = merged.filter((_, index) => index % width === 0).map((match) => subtract(match, service[0] ?? {}));
  return entries.length > 0 && entries.every((entry) => Object.keys(entry).length > 0) ? entries : undefined;
}
