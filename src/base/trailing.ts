/** The text without any of these characters at its end. A search for `/+$` takes quadratic time on slashes within the text. */
export function withoutTrailing(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
