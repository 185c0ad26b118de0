/** The text, or its beginning and `…`: at most this many characters. */
export function cutText(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1).toWellFormed()}…` : text;
}
