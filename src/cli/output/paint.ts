import type { Terminal } from './terminal.ts';

/** The meaning that a colour repeats; the word also says it. */
export type Meaning = 'good' | 'bad' | 'busy' | 'plain';

const COLORS = { good: 32, bad: 31, busy: 33 } as const;
const OWN = new RegExp(`(${String.fromCharCode(27)}\\[(?:0|${Object.values(COLORS).join('|')})m)`);

/** The text in the colour of its meaning, if colours are on. */
export function paint(text: string, meaning: Meaning, { color }: Pick<Terminal, 'color'>): string {
  return color && meaning !== 'plain' && text !== '' ? `\x1b[${COLORS[meaning]}m${text}\x1b[0m` : text;
}

/** Changes the text of a painted line, but not its colours; anything else that looks like a colour was written by others. */
export function betweenColors(line: string, { color }: Pick<Terminal, 'color'>, change: (text: string) => string): string {
  if (!color) return change(line);
  return line
    .split(OWN)
    .map((part, index) => (index % 2 === 0 ? change(part) : part))
    .join('');
}

/** The colour of a phase. */
export function meaningOf(phase: string): Meaning {
  if (phase === 'Succeeded' || phase === 'Initialized') return 'good';
  return phase === 'Failed' ? 'bad' : 'busy';
}

/** `[####------] 40%`: a bar always has its number beside it. */
export function bar(percent: number, width: number, { unicode }: Pick<Terminal, 'unicode'>): string {
  const filled = Math.max(0, Math.min(width, Math.round((percent / 100) * width)));
  const [full, empty] = unicode ? ['█', '░'] : ['#', '-'];
  return `[${full.repeat(filled)}${empty.repeat(width - filled)}] ${percent}%`;
}
