/** Characters that a terminal obeys, or that turn text around. */
export const OBEYED = /[\p{Cc}\p{Cf}]/gu;

/** One line without control characters for a terminal. Its columns stay. All printed text passes here last, or is `cleaned` word by word. */
export function printable(line: string): string {
  return line.replace(/[\t\n\v\f\r]/g, ' ').replace(OBEYED, '');
}

/** The subset of those characters that JSON and YAML texts leave unescaped. */
export const LEFT_IN_STRINGS = /[\x7f-\x9f\p{Cf}]/gu;

/** The same JSON, with such characters by their numbers. */
export function numbered(json: string): string {
  return json.replace(LEFT_IN_STRINGS, (character) =>
    Array.from({ length: character.length }, (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  );
}
