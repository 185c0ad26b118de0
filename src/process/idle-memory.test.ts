import { expect, it } from 'vitest';
import { handClock } from '../../test/fakes/clock.ts';
import { IdleMemory } from './idle-memory.ts';

it('collects again, each time after ten seconds without a request, while much of the heap is empty and a collection returns some', () => {
  const clock = handClock();
  let usedBytes = 1_200e6;
  let returned = 0.75;
  const left: number[] = [];
  const memory = new IdleMemory({
    clock,
    usedBytes: () => usedBytes,
    emptyBytes: () => usedBytes - 400e6,
    workedMs: () => 0,
    collect: () => {
      usedBytes *= returned;
      left.push(Math.round(usedBytes / 1e6));
    },
  });
  memory.busy();
  clock.advance(29_999);
  expect(left).toEqual([900, 675]);
  memory.busy();
  clock.advance(5_000);
  expect(left).toEqual([900, 675]);
  clock.advance(60_000);
  // A fifth of 506 is 101, and 106 are empty.
  expect([left, clock.pending]).toEqual([[900, 675, 506, 380], 0]);
  usedBytes = 1_200e6;
  returned = 0.99;
  memory.busy();
  clock.advance(60_000);
  expect([left.slice(4), clock.pending]).toEqual([[1188], 0]);
});

it('returns memory after busy times, where it has grown, and no timer is left', () => {
  const clock = handClock();
  let usedBytes = 300e6;
  let workedMs = 0;
  let collected = 0;
  const memory = new IdleMemory({
    clock,
    usedBytes: () => usedBytes,
    emptyBytes: () => usedBytes * 0.19,
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
