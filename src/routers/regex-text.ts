import type { StringMatch } from '../api/string-match.ts';

const SPECIAL = /[\\^$.*+?()[\]{}|]/g;

/** A text as the RE2 pattern of exactly itself. */
export function escapeRegex(text: string): string {
  return text.replace(SPECIAL, '\\$&');
}

/** The text whose escaped pattern this is; undefined when the pattern is more than one text. */
export function unescapeRegex(pattern: string): string | undefined {
  const text = pattern.replace(/\\([\\^$.*+?()[\]{}|])/g, '$1');
  return escapeRegex(text) === pattern ? text : undefined;
}

/** A pattern over a whole text as the simplest condition that says the same. */
export function textOfPattern(pattern: string): StringMatch {
  const exact = pattern === '^$' ? '' : unescapeRegex(pattern);
  if (exact !== undefined) return { exact };
  const prefix = pattern.endsWith('.*') ? unescapeRegex(pattern.slice(0, -2)) : undefined;
  if (prefix !== undefined) return { prefix };
  const suffix = pattern.startsWith('.*') ? unescapeRegex(pattern.slice(2)) : undefined;
  return suffix === undefined ? { regex: pattern } : { suffix };
}

/** Reason for which RE2, which all proxies of the Envoy family use, does not take a pattern; `undefined` if it does, as far as this check can see. */
export function re2Problem(pattern: string): string | undefined {
  if (/\(\?(?:[=!]|<[=!])/.test(pattern)) return 'looks ahead or behind, which RE2 cannot';
  if (/(?:^|[^\\])(?:\\\\)*\\[1-9k]/.test(pattern)) return 'refers back to a group, which RE2 cannot';
  try {
    // Flags at the start are RE2's own syntax for `i` and `s`; the rest has to be a pattern all the same.
    new RegExp(pattern.replace(/^\(\?[imsU]+\)/, ''));
    return undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return 'is not a regular expression';
    throw error;
  }
}
