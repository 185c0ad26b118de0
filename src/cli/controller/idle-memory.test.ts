import { expect, it } from 'vitest';
import { handClock } from '../../../test/fakes/clock.ts';
import { IdleMemory } from './idle-memory.ts';

it('memory is returned once after busy times, where it has grown, and no timer is left', () => {
  const clock = handClock();
  let usedBytes = 300e6;
  let workedMs = 0;
  let collected = 0;
  const memory = new IdleMemory({
    clock,
    usedBytes: () => usedBytes,
    workedMs: () => workedMs,
    collect: () => {
      collected += 1;
      usedBytes = 100e6;
    },
  });
  memory.busy();
  clock.advance(9_000);
  memory.busy();
  clock.advance(9_000);
  expect(collected).toBe(0);
  workedMs = 600; // on an answer that is long in coming
  clock.advance(1_000);
  expect(collected).toBe(0);
  clock.advance(10_000);
  expect([collected, clock.pending]).toEqual([1, 0]);
  usedBytes = 117e6; // a few requests: not worth a pause
  memory.busy();
  clock.advance(60_000);
  expect([collected, clock.pending]).toEqual([1, 0]);
  usedBytes = 119e6;
  memory.busy();
  clock.advance(10_000);
  expect([collected, clock.pending]).toEqual([2, 0]);
  memory.busy();
  memory.stop();
  clock.advance(10_000);
  expect([collected, clock.pending]).toEqual([2, 0]);
});
