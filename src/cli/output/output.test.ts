import pino from 'pino';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { numbered } from '../../base/printable.ts';
import type { Documents } from './documents.ts';
import { Output } from './output.ts';
import type { OutputFormat } from './output-formats.ts';
import { paint } from './paint.ts';
import type { Terminal } from './terminal.ts';

/** A screen that is cleared, a title that is set, text that is turned around, and a line that was never written. */
const HOSTILE = '\u{e0001}web\x1b[2J\x1b]0;owned\x07\u009b31m\u202egpj.exe\u2066\x7f\x08\rfake';
const obeyed = /[\p{Cc}\p{Cf}]/u;

const rendered = (output: OutputFormat | undefined, isTTY = true) =>
  new Output({ output }, { TERM: 'xterm', LANG: 'C.UTF-8' }, { out: { isTTY, write: () => 0 }, err: { write: () => 0 } }).render({
    document: { [HOSTILE]: HOSTILE, list: [HOSTILE, `${HOSTILE}\n  ${HOSTILE}`.repeat(9)] } as unknown as Documents,
    names: [HOSTILE],
    lines: (terminal: Terminal) => [`raw ${HOSTILE}`, `${paint('Failed', 'bad', terminal)} ${HOSTILE}`],
  });

it.each([undefined, 'wide', 'name', 'json', 'yaml'] as const)('names of others move no cursor in the format %s', async (output) => {
  const text = (await rendered(output)).replaceAll('\x1b[31mFailed\x1b[0m', 'Failed');
  for (const line of text.split('\n')) expect(line).not.toMatch(obeyed);
  expect(text).toContain('gpj.exe');
});

it.each(['json', 'yaml'] as const)('a program reads from %s what was there', async (output) => {
  const text = await rendered(output, false);
  const document = output === 'json' ? JSON.parse(text) : parse(text);
  expect([document[HOSTILE], document.list[0]]).toEqual([HOSTILE, HOSTILE]);
});

it('keeps its own colours, and its columns', async () => {
  expect(await rendered(undefined)).toContain('\x1b[31mFailed\x1b[0m');
});

it('a colour that others wrote is removed where colours are off', async () => {
  const output = new Output({}, {}, { out: { write: () => 0 }, err: { write: () => 0 } });
  const text = await output.render({ document: {} as unknown as Documents, names: [], lines: () => ['a\x1b[31mb   c'] });
  expect(text).toBe('a[31mb   c\n');
});

it('a log line is JSON that a terminal does not obey', () => {
  let line = '';
  const log = pino({ hooks: { streamWrite: numbered } }, { write: (text: string) => (line += text) });
  log.warn({ canary: HOSTILE }, 'reconcile failed');
  expect(line.trimEnd()).not.toMatch(obeyed);
  expect(JSON.parse(line)).toMatchObject({ canary: HOSTILE });
});
