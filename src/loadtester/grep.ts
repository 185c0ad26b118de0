import type { FilterWork } from './filter-work.ts';
import { type LinePattern, linePattern } from './line-pattern.ts';

/** Options without a value. */
export const LETTERS = 'iqvcxFEGsa';

export interface Grep {
  /** Output and exit code of `grep` (1: no line matches). */
  filter(text: string, work: FilterWork): Promise<{ exitCode: number; stdout: string }>;
  pattern: LinePattern;
}

export const LONG: Readonly<Record<string, string>> = {
  ...{ 'ignore-case': 'i', quiet: 'q', silent: 'q', 'invert-match': 'v', count: 'c', 'line-regexp': 'x' },
  ...{ 'fixed-strings': 'F', 'extended-regexp': 'E', 'basic-regexp': 'G', 'no-messages': 's', text: 'a' },
};

/** Reads the words of `grep`; it takes a pattern and no file. */
export function grep(words: readonly string[]): Grep | { problem: string } {
  const flags = new Set<string>();
  const plain: string[] = [];
  let pattern: string | undefined;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word === '--') {
      plain.push(...words.slice(at + 1));
      break;
    }
    if (!/^-./.test(word)) {
      plain.push(word);
      continue;
    }
    const long = /^--regexp=([\s\S]*)$/.exec(word)?.[1];
    if (long !== undefined) {
      pattern = long;
      continue;
    }
    const name = word.slice(2);
    const letters = word.startsWith('--') ? [Object.hasOwn(LONG, name) ? (LONG[name] ?? '?') : '?'] : Array.from(word.slice(1));
    for (const [index, letter] of letters.entries()) {
      if (letter === 'e') {
        const rest = letters.slice(index + 1).join('');
        if (rest === '') at += 1;
        pattern = rest === '' ? words[at] : rest;
        break;
      }
      if (!LETTERS.includes(letter)) return { problem: `grep: its option ${word.slice(0, 30)} is unknown here` };
      flags.add(letter);
    }
  }
  const wanted = pattern ?? plain.shift();
  if (wanted === undefined) return { problem: 'grep: it names no pattern' };
  if (plain.length > 0) return { problem: 'grep: it reads only what curl prints, no file' };
  const kind = flags.has('F') ? 'fixed' : flags.has('E') ? 'extended' : 'basic';
  const read = linePattern(wanted, kind, { ignoresCase: flags.has('i'), wholeLine: flags.has('x') });
  if ('problem' in read) return { problem: `grep: ${read.problem}, which is not read here` };
  return {
    pattern: read,
    async filter(text, work) {
      const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n');
      const found: string[] = [];
      for (const line of lines) {
        await work.spend(read.stepsFor(line));
        if (read.matches(line) !== flags.has('v')) found.push(line);
      }
      const shown = flags.has('q') ? '' : flags.has('c') ? `${found.length}\n` : found.map((line) => `${line}\n`).join('');
      return { exitCode: found.length > 0 ? 0 : 1, stdout: shown };
    },
  };
}
