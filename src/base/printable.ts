/** Characters that a terminal obeys, or that turn text around. */
export const OBEYED = /[\p{Cc}\p{Cf}]/gu;

/** One line without what a terminal would obey; its columns stay. Whatever is printed passes here last, or is `cleaned` word by word. */
export function printable(line: string): string {
  return line.replace(/[\t\n\v\f\r]/g, ' ').replace(OBEYED, '');
}

/** The ones of those that JSON and YAML texts leave as they are. */
export const LEFT_IN_STRINGS = /[\x7f-\x9f\p{Cf}]/gu;

/** JSON as before, with such characters by their numbers. */
export function numbered(json: string): string {
  return json.replace(LEFT_IN_STRINGS, (character) =>
    Array.from({ length: character.length }, (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  );
}
