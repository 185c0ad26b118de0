import { expect, it } from 'vitest';
import type { Release } from '../../api/canary-status.ts';
import { allToPrimary } from '../../api/routes.ts';
import { type SentStatus, UnansweredWrites } from './unanswered-writes.ts';

const release = (run: number, writer?: string): Release => ({
  ...{ targetUid: 't', revision: 's1:a', template: 's1:a', observedGeneration: 1, run, step: 'resting', routes: allToPrimary },
  ...{ failedChecks: 0, iterations: 0, startedMs: 0, stepStartedMs: 0 },
  ...(writer === undefined ? {} : { writer }),
});
const write = (run: number): SentStatus => ({ phase: 'Progressing', release: release(run), announcements: [] });

it('a Canary awaits the answer to a status write from when it is sent until it comes', () => {
  const writes = new UnansweredWrites();
  expect(writes.areNone).toBe(true);
  writes.sent(write(1));
  expect(writes.areNone).toBe(false);
  writes.answered();
  expect(writes.areNone).toBe(true);
});

it('I6: a write whose answer was lost is known again by what the API server stored, whichever Serin signed it, and once', () => {
  const writes = new UnansweredWrites();
  const [first, second] = [write(1), write(2)];
  for (const one of [first, second]) writes.sent(one);
  expect(writes.takeStored(release(3))).toBeUndefined();
  expect(writes.takeStored(undefined)).toBeUndefined();
  expect(writes.takeStored(release(1, 'serin-x2'))).toBe(first);
  expect([writes.areNone, writes.takeStored(release(1))]).toEqual([true, undefined]);
});

it('I6: the last one of equal writes is returned, and five of one Canary are remembered', () => {
  const writes = new UnansweredWrites();
  const again = { ...write(1), phase: 'Succeeded' } as const;
  for (const one of [write(1), again]) writes.sent(one);
  expect(writes.takeStored(release(1))).toBe(again);
  for (const run of [1, 2, 3, 4, 5, 6]) writes.sent(write(run));
  expect(writes.takeStored(release(1))).toBeUndefined();
  expect(writes.takeStored(release(2))?.release).toEqual(release(2));
});
