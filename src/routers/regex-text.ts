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
