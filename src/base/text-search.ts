/**
 * Finds the ends of all places where `text` holds `part`, from the left and without overlap, and how many characters of `part` the text has begun at its end.
 * By Knuth, Morris and Pratt, in linear time: `replaceAll` and `indexOf` compare each place again once the part is long.
 */
export function textSearch(text: string, part: string): { ends: number[]; begun: number } {
  const borders = bordersOf(part);
  const ends: number[] = [];
  let held = 0;
  for (let at = 0; at < text.length; at += 1) {
    held = extended(part, borders, held, text.charCodeAt(at));
    if (held < part.length) continue;
    ends.push(at + 1);
    held = 0;
  }
  return { ends, begun: held };
}

/** For each beginning of the part, the length of the longest shorter beginning that it ends with. */
function bordersOf(part: string): number[] {
  const borders = [0];
  for (let at = 1; at < part.length; at += 1) borders.push(extended(part, borders, borders[at - 1] ?? 0, part.charCodeAt(at)));
  return borders;
}

/** The length of the beginning of `part` that is held after one character more. */
function extended(part: string, borders: readonly number[], held: number, code: number): number {
  let length = held;
  while (length > 0 && part.charCodeAt(length) !== code) length = borders[length - 1] ?? 0;
  return part.charCodeAt(length) === code ? length + 1 : 0;
}

/** The text without any of these characters at its end. A search for `/+$` takes quadratic time on slashes within the text. */
export function withoutTrailing(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
