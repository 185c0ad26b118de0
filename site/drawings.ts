/** Whether a diagram is drawn. Charts of states within states are drawn with arrows that lead nowhere, and stay code. */
export function isDrawn(diagram: string): boolean {
  return /^\s*(flowchart|graph)\b/.test(diagram);
}

/** A drawing as a part of a page: it loads nothing from elsewhere, and its rules hold for itself alone. */
export function embedded(svg: string): string {
  const ownRules = svg
    .replace(/^\s*@import .*$/m, '')
    .replace(/font-family: [^;]*;/g, 'font-family: inherit;')
    .replace(/^(\s*)(text|svg) \{/gm, '$1.drawing $2 {')
    .replace(/ width="[\d.]+" height="[\d.]+"/, '');
  if (/url\(['"]?https?:|<script|href=/.test(ownRules)) throw new Error('a drawing refers to something outside of itself');
  // As a value: in a template Vue changes rules of style, and the page would differ from what the browser makes of it.
  return `<div class="drawing" v-html="${escaped(JSON.stringify(ownRules))}"></div>\n`;
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('{{', '{ {');
