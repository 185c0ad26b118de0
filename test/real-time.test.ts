import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** Rooms that a run in virtual time is made of; the load tester and the commands of people live in real time. */
const ROOMS = [
  'base',
  'api',
  'engine',
  'routers',
  'kube',
  'workloads',
  'metrics',
  'webhooks',
  'notifiers',
  'controller',
  'process',
  'reading',
  'embedded',
];
const REAL_TIME =
  /\b(setTimeout|setInterval|Date\.now|performance\.now|process\.hrtime)\b|new Date\(\)|timers\/promises|AbortSignal\.timeout|\btimeout: \{ request/;

const sources = globSync(`src/{${ROOMS}}/**/*.ts`).filter((path) => !path.endsWith('.test.ts'));
const askers = (pattern: RegExp): string[] => sources.filter((path) => pattern.test(readFileSync(path, 'utf8'))).sort();

it('only the clock reads the time, and only the clock waits', () => {
  expect(sources.length).toBeGreaterThan(500);
  // A socket has a method of that name.
  expect(askers(REAL_TIME)).toEqual(['src/base/clock.ts', 'src/embedded/virtual/memory-socket.ts']);
});
