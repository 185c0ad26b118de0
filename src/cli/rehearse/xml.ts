const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** For text and attributes of XML and HTML: leaves out characters that are invalid in either, or that turn text around. */
export function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(/(?![\t\n\r])[\p{Cc}\p{Cf}\uFFFE\uFFFF]/gu, '')
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
