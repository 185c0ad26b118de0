import { describe, expect, it } from 'vitest';
import { bar, paint } from './paint.ts';
import type { Terminal } from './terminal.ts';
import { cleaned, cut, durationText, wrapped } from './text.ts';
import { textTable } from './text-table.ts';

const plain: Terminal = { color: false, unicode: false, live: false, columns: 80 };
const rich: Terminal = { color: true, unicode: true, live: true, columns: 80 };

it.each([
  [0, '0s'],
  [45, '45s'],
  [60, '1m'],
  [312, '5m12s'],
  [7_500, '2h5m'],
  [90_061, '1d1h'],
])('%d seconds are %s', (seconds, text) => expect(durationText(seconds)).toBe(text));

describe('texts that others wrote', () => {
  it('cannot move the cursor, colour the screen, or turn the line around', () => {
    expect(cleaned('no\x1b[2J\x1b[31m\r\nnext\u202eesrever\u009b1m', rich)).toBe('no[2J[31m nextesrever1m');
  });
  it('are ASCII where the locale is', () => {
    expect(cleaned('it’s “fine” – 3 ≥ 2 … naïve 日', plain)).toBe(`it's "fine" - 3 >= 2 ... na?ve ?`);
    expect(cleaned('it’s naïve', rich)).toBe('it’s naïve');
  });
  it('are wrapped between words, and a long word is left whole', () => {
    expect(wrapped('a bb ccc dddddddddd e', 6)).toEqual(['a bb', 'ccc', 'dddddddddd', 'e']);
  });
  it('show where they were cut', () => {
    expect(cut('waits for the gate', 10, plain)).toBe('waits f...');
    expect(cut('waits for the gate', 10, rich)).toBe('waits for…');
  });
});

describe('a table', () => {
  it('keeps its columns under their headings, with any colour', () => {
    const rows = [
      ['web', { text: 'Failed', meaning: 'bad' as const }, 'x'],
      ['a-longer-name', { text: 'Progressing', meaning: 'busy' as const }, 'y'],
    ];
    const colored = textTable(['NAME', 'PHASE', 'Z'], rows, rich);
    expect(colored[1]).toContain('\x1b[31mFailed\x1b[0m');
    const colors = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, 'g');
    expect(colored.map((line) => line.replace(colors, ''))).toEqual(textTable(['NAME', 'PHASE', 'Z'], rows, plain));
    expect(textTable(['NAME', 'PHASE', 'Z'], rows, plain)).toEqual([
      'NAME           PHASE        Z',
      'web            Failed       x',
      'a-longer-name  Progressing  y',
    ]);
  });
  it('cuts a sentence on a terminal, and nothing where a program may read', () => {
    const sentence = 'waits '.repeat(30).trim();
    expect(textTable(['A', 'B'], [['a', sentence]], rich, { sentence: true })[1]).toHaveLength(80);
    expect(textTable(['A', 'B'], [['a', sentence]], plain, { sentence: true })[1]).toBe(`a  ${sentence}`);
  });
});

describe('a bar', () => {
  it('has its number beside it', () => {
    expect(bar(40, 10, plain)).toBe('[####------] 40%');
    expect(bar(100, 10, rich)).toBe('[██████████] 100%');
    expect(bar(1, 10, plain)).toBe('[----------] 1%');
  });
  it('colours a word only where there is colour', () => {
    expect(paint('Failed', 'bad', rich)).toBe('\x1b[31mFailed\x1b[0m');
    expect(paint('Failed', 'bad', plain)).toBe('Failed');
  });
});
