import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { handClock } from '../../test/fakes/clock.ts';
import { deadlineAfter, every, systemClock } from './clock.ts';

/** Kubernetes writes an absent deadline as the largest number of seconds. */
const NEVER_MS = 2_147_483_647_000;
const DAY_MS = 24 * 3_600_000;

describe('the real clock', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it.each([1_000, 2 ** 31 - 1, 2 ** 31, 60 * DAY_MS])('calls once after %d ms, and not before', (ms) => {
    const called = vi.fn();
    systemClock.setTimer(ms, called);
    vi.advanceTimersByTime(ms - 1);
    expect(called).toHaveBeenCalledTimes(0);
    vi.advanceTimersByTime(1 + 60 * DAY_MS);
    expect(called).toHaveBeenCalledTimes(1);
  });

  it('a deadline that never comes fires nothing, and is cancelled as any', () => {
    const called = vi.fn();
    const cancel = systemClock.setTimer(NEVER_MS, called);
    vi.advanceTimersByTime(100 * DAY_MS);
    cancel();
    expect([called.mock.calls.length, vi.getTimerCount()]).toEqual([0, 0]);
  });
});

describe('every', () => {
  it('calls again and again, and no longer once it is stopped', () => {
    const clock = handClock();
    const called = vi.fn();
    const stop = every(clock, 10, called);
    clock.advance(35);
    expect(called).toHaveBeenCalledTimes(3);
    stop();
    clock.advance(100);
    expect([called.mock.calls.length, clock.pending]).toEqual([3, 0]);
  });

  it('can be stopped by the function that it calls', () => {
    const clock = handClock();
    const stop = every(clock, 10, () => stop());
    clock.advance(10);
    expect(clock.pending).toBe(0);
  });
});

describe('a deadline', () => {
  it('aborts as AbortSignal.timeout does, and leaves no timer when the work is done', () => {
    const clock = handClock();
    const [late, done] = [deadlineAfter(clock, 10), deadlineAfter(clock, 20)];
    clock.advance(10);
    expect([late.signal.aborted, late.signal.reason?.name, done.signal.aborted]).toEqual([true, 'TimeoutError', false]);
    done.end();
    expect(clock.pending).toBe(0);
  });
});
