import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from './clock.ts';

/** Kubernetes' own way to say that there is no deadline: the largest number of seconds. */
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
