import type { StringMatch } from '../api/string-match.ts';
import { escapeRegex, unescapeRegex } from './regex-text.ts';

/** A condition as a pattern for proxies that search in the value: anchored, so that `regex` means the whole value, as in Istio. */
export function anchoredPattern(condition: StringMatch): string {
  if ('exact' in condition) return `^${escapeRegex(condition.exact)}$`;
  if ('prefix' in condition) return `^${escapeRegex(condition.prefix)}`;
  if ('suffix' in condition) return `${escapeRegex(condition.suffix)}$`;
  return `^(?:${condition.regex})$`;
}

/** The reverse; undefined for a pattern that was not written by `anchoredPattern`. */
export function readAnchoredPattern(pattern: string): StringMatch | undefined {
  const regex = /^\^\(\?:(.*)\)\$$/s.exec(pattern)?.[1];
  if (regex !== undefined) return { regex };
  const exact = /^\^(.*)\$$/s.exec(pattern)?.[1];
  const exactText = exact === undefined ? undefined : unescapeRegex(exact);
  if (exactText !== undefined) return { exact: exactText };
  const prefix = pattern.startsWith('^') ? unescapeRegex(pattern.slice(1)) : undefined;
  if (prefix !== undefined) return { prefix };
  const suffix = pattern.endsWith('$') ? unescapeRegex(pattern.slice(0, -1)) : undefined;
  return suffix === undefined ? undefined : { suffix };
}
