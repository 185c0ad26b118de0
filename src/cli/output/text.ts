import { OBEYED } from '../../base/printable.ts';
import { columnsOf, firstColumns, fits, lastColumns } from './columns.ts';
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
  '→': '->',
  '·': '-',
  '≥': '>=',
  '≤': '<=',
};

/**
 * A text that others wrote, on one line and without what a terminal would obey: a hook's answer must not move the cursor or turn the text
 * around. Without UTF-8, other characters become their likes in ASCII.
 */
export function cleaned(text: string, { unicode }: Pick<Terminal, 'unicode'>): string {
  const shown = text.replace(/\s+/g, ' ').replace(OBEYED, '').trim();
  return unicode ? shown : inAscii(shown);
}

/** One line with the likes of its other characters, for a terminal without UTF-8. */
export const inAscii = (line: string): string => line.replace(/[^\x20-\x7e]/gu, (character) => INSTEAD[character] ?? '?');

/** Lines of at most `width` columns; a word that is longer has a line of its own. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let used = 0;
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    const columns = columnsOf(word);
    const isOnLast = last !== undefined && used + 1 + columns <= width;
    if (isOnLast) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
    used = isOnLast ? used + 1 + columns : columns;
  }
  return lines;
}

/** A text in lines as wide as the terminal, two columns in. */
export function indented(text: string, terminal: Pick<Terminal, 'unicode' | 'columns'>): string[] {
  return wrapped(cleaned(text, terminal), terminal.columns - 2).map((line) => `  ${line}`);
}

/** The part of a text that fits, with a mark if it was cut. */
export function cut(text: string, width: number, { unicode }: Pick<Terminal, 'unicode'>): string {
  if (fits(text, width)) return text;
  const mark = unicode ? '…' : '...';
  return `${firstColumns(text, width - mark.length).trimEnd()}${mark}`;
}

/** The same of a text whose end matters more, such as an image with its version. */
export function cutFront(text: string, width: number, { unicode }: Pick<Terminal, 'unicode'>): string {
  if (fits(text, width)) return text;
  const mark = unicode ? '…' : '...';
  return `${mark}${lastColumns(text, width - mark.length).trimStart()}`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** For text and attributes of XML and HTML: leaves out characters that are invalid in either, or that turn text around. */
export function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(/(?![\t\n\r])[\p{Cc}\p{Cf}\uFFFE\uFFFF]/gu, '')
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

const UNITS = [
  { suffix: 'd', seconds: 86_400 },
  { suffix: 'h', seconds: 3600 },
  { suffix: 'm', seconds: 60 },
] as const;

/** `45s`, `12m`, `3h` or `9d` since a time of RFC 3339, as kubectl shows ages; `-` where it is unknown. */
export function ageText(time: string | undefined, nowMs: number): string {
  const ms = time === undefined ? Number.NaN : Date.parse(time);
  if (Number.isNaN(ms)) return '-';
  const age = Math.max(0, Math.floor((nowMs - ms) / 1000));
  const unit = UNITS.find(({ seconds }) => age >= seconds);
  return unit === undefined ? `${age}s` : `${Math.floor(age / unit.seconds)}${unit.suffix}`;
}

/** A duration in its two largest units: `45s`, `5m12s`, `2h5m`. */
export function durationText(seconds: number): string {
  const first = UNITS.findIndex((unit) => seconds >= unit.seconds);
  const [large, small] = UNITS.slice(first < 0 ? UNITS.length : first);
  if (large === undefined) return `${seconds}s`;
  const rest = seconds % large.seconds;
  const after = small === undefined ? `${rest}s` : `${Math.floor(rest / small.seconds)}${small.suffix}`;
  return `${Math.floor(seconds / large.seconds)}${large.suffix}${/^0/.test(after) ? '' : after}`;
}
