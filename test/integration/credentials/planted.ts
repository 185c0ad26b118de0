const MARK = 'pl4nted';

/** A credential that is found wherever it shows: `planted('token')` is like no other text. */
export const planted = (what: string): string => `${MARK}-${what}-0a1b2c3d`;

/** The same mark in the planted texts of a contract case. */
export const marked = (text: string): string => text.replaceAll('planted', MARK);

/** Text around a credential that is found, plain or in base64 at any offset. `undefined` if no credential is found. */
export function leakIn(text: string): string | undefined {
  const at = text.indexOf(MARK);
  if (at >= 0) return text.slice(Math.max(0, at - 80), at + 80);
  for (const [word] of text.matchAll(/[\w+/-]{10,}/g)) {
    for (const shift of [0, 1, 2, 3]) {
      if (Buffer.from(word.slice(shift), 'base64').includes(MARK)) return `base64: ${word.slice(0, 160)}`;
    }
  }
  return undefined;
}
