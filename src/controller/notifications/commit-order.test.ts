import { expect, it } from 'vitest';
import type { CanaryStatus, Delivery } from '../../api/canary-status.ts';
import { isOvertaken, KeyedTurns } from './commit-order.ts';

const status = (run: number, commit: string, hasEnded = false) =>
  ({ release: { run, commit, ...(hasEnded && { ending: { code: 'Succeeded', atMs: 1, detail: '' } }) } }) as CanaryStatus;
const message = (reason: string, release: number, commit: string): Delivery => ({
  key: 'k',
  kind: 'alert',
  message: '',
  sinceMs: 0,
  ...(['Initialized', 'NewRevision'].includes(reason) ? {} : { outcome: 'Succeeded' }),
  alert: { reason, severity: 'info', fields: [], details: { release, revision: 's1:a', weight: 0, checks: [], commit } },
});

it.each([
  ['the beginning of a release under way', 'NewRevision', 1, 'a', status(1, 'a'), false],
  ['the beginning of a release that has ended', 'NewRevision', 1, 'a', status(1, 'a', true), true],
  ['its end', 'Succeeded', 1, 'a', status(1, 'a', true), false],
  ['the beginning of an earlier release', 'NewRevision', 1, 'a', status(2, 'b'), true],
  ['the end of an earlier release of another commit', 'Failed', 1, 'a', status(2, 'b'), false],
  ['the end of an earlier release of the same commit', 'Failed', 1, 'a', status(2, 'a'), true],
  ['an initialization before a release of another commit', 'Initialized', 0, 'a', status(1, 'b'), false],
  ['an initialization before a release of the same commit', 'Initialized', 0, 'a', status(1, 'a'), true],
  ['a message where no status is known', 'NewRevision', 1, 'a', undefined, false],
])('%s is overtaken: %#', (_, reason, release, commit, seen, expected) => {
  expect(isOvertaken(seen, message(reason, release, commit))).toBe(expected);
});

it('works of one key run one after another, also after a failure, and those of other keys at once', async () => {
  const turns = new KeyedTurns();
  const done: string[] = [];
  const held = Promise.withResolvers<void>();
  const first = turns.run('a', async () => {
    await held.promise;
    done.push('first');
    throw new Error('failed');
  });
  const second = turns.run('a', async () => void done.push('second'));
  await turns.run('b', async () => void done.push('other'));
  expect(done).toEqual(['other']);
  held.resolve();
  await expect(first).rejects.toThrow('failed');
  await second;
  expect(done).toEqual(['other', 'first', 'second']);
});
