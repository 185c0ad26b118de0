import type { Terminal } from './terminal.ts';

const INSTEAD: Readonly<Record<string, string>> = {
  '’': "'",
  '‘': "'",
  '“': '"',
  '”': '"',
  '–': '-',
  '—': '-',
  '…': '...',
  '×': 'x',
  '·': '-',
  '≥': '>=',
  '≤': '<=',
};

/**
 * A text that others wrote, on one line and without what a terminal would obey: a hook's answer must not move the cursor or turn the text
 * around. Without UTF-8, other characters become their likes in ASCII.
 */
export function cleaned(text: string, { unicode }: Pick<Terminal, 'unicode'>): string {
  const shown = text
    .replace(/\s+/g, ' ')
    .replace(/[\p{Cc}\p{Cf}]/gu, '')
    .trim();
  return unicode ? shown : shown.replace(/[^\x20-\x7e]/gu, (character) => INSTEAD[character] ?? '?');
}

/** Lines of at most `width` characters; a word that is longer has a line of its own. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** So much of a text as fits, and a mark where there is more. */
export function cut(text: string, width: number, { unicode }: Pick<Terminal, 'unicode'>): string {
  if (text.length <= width) return text;
  const mark = unicode ? '…' : '...';
  return `${text.slice(0, Math.max(0, width - mark.length)).trimEnd()}${mark}`;
}
