import { join } from 'node:path';
import { expect, it } from 'vitest';
import { logFields } from '../scripts/observability/log-fields.ts';
import { linesOf, logLines } from '../scripts/observability/log-lines.ts';

const lines = logLines(join(import.meta.dirname, '..'));

it('log lines have fields of one closed list, and each of those is in use', () => {
  const inEach = ['level', 'time', 'msg'];
  const used = new Set([...inEach, ...lines.flatMap(({ fields }) => fields)]);
  expect([...used].sort()).toEqual(Object.keys(logFields).sort());
});

it('the message of a log line is constant, except in lines that repeat an event', () => {
  expect(lines.filter(({ message }) => message === undefined)).toEqual([
    { level: 'info', fields: ['canary', 'reason'], message: undefined, file: 'controller/notifications/logged-events.ts' },
    { level: 'info', fields: ['kind', 'name', 'reason'], message: undefined, file: 'controller/notifications/logged-events.ts' },
  ]);
});

it('the same message has one level', () => {
  const levels = new Map<string | undefined, Set<string>>();
  for (const { message, level } of lines) levels.set(message, (levels.get(message) ?? new Set()).add(level));
  const unsure = [...levels].filter(([, seen]) => seen.size > 1).map(([message]) => message);
  // The second one is final: nothing tries again.
  expect(unsure).toEqual(['the first read of the cluster failed']);
});

it('fields are read from the calls, also fields that a call adds only at times', () => {
  const call = "log?.warn({ canary: labelOf(a, b), err, ...(is && { port: f({ x: 1 }) }) }, 'it failed, again')";
  expect(linesOf(call, 'a.ts')).toEqual([{ level: 'warn', fields: ['canary', 'err', 'port'], message: 'it failed, again', file: 'a.ts' }]);
});

it('a call whose fields are made elsewhere is refused', () => {
  expect(() => linesOf("log.warn(fields, 'it failed')", 'a.ts')).toThrow('a.ts: write the fields of this line where it is logged');
});
