/** Text of a foreign server in one line that cannot break a log, a condition or a terminal; at most `limit` characters. */
export function oneLine(text: string, limit: number): string {
  const flat = text
    .replace(/\p{Cc}|[\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(/ +/g, ' ')
    .trim();
  return Array.from(flat).slice(0, limit).join('');
}
