import { readFile } from 'node:fs/promises';
import { setTimeout as realSleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { sleep } from '../../base/clock.ts';
import { VirtualClock } from './virtual-clock.ts';

const HOUR_MS = 3_600_000;

describe('virtual time', () => {
  it('jumps to the next timer when all work is idle, in the order of time, then of setting', async () => {
    const clock = new VirtualClock();
    const seen: string[] = [];
    const note = (what: string) => () => void seen.push(`${what} at ${clock.monotonicMs()}`);
    clock.setTimer(HOUR_MS, note('late'));
    clock.setTimer(5, note('first'));
    clock.setTimer(5, note('second'));
    clock.setTimer(4, note('cancelled'))();
    await clock.play(() => sleep(clock, HOUR_MS + 1));
    expect(seen).toEqual(['first at 5', 'second at 5', `late at ${HOUR_MS}`]);
    expect(clock.nowMs()).toBe(Date.UTC(2026, 0, 1, 1) + 1);
  });

  it('waits for microtasks, ticks, immediates and files before it moves', async () => {
    const clock = new VirtualClock();
    const at: number[] = [];
    await clock.play(async () => {
      clock.setTimer(1, () => at.push(-1));
      for (let turn = 0; turn < 50; turn += 1) {
        await new Promise((resolve) => setImmediate(resolve));
        await new Promise<void>((resolve) => process.nextTick(resolve));
        await null;
      }
      at.push(clock.monotonicMs());
      await readFile(import.meta.filename);
      at.push(clock.monotonicMs());
      await sleep(clock, 10);
    });
    expect(at).toEqual([0, 0, -1]);
  });

  it('does not move while nothing is played, and while real work is held', async () => {
    const clock = new VirtualClock();
    let fired = 0;
    clock.setTimer(1, () => {
      fired += 1;
    });
    await realSleep(5);
    expect(fired).toBe(0);
    await clock.play(async () => {
      await clock.hold(realSleep(20));
      expect(fired).toBe(0);
      await sleep(clock, 1);
    });
    expect(fired).toBe(1);
  });

  it('goes on until the last player is done', async () => {
    const clock = new VirtualClock();
    await Promise.all([10, 30, 20].map((ms) => clock.play(() => sleep(clock, ms))));
    expect(clock.monotonicMs()).toBe(30);
  });

  it('never fires a timer at once: a caller that waits for nothing again and again holds up no other', async () => {
    const clock = new VirtualClock();
    let turns = 0;
    const again = () => {
      turns += 1;
      clock.setTimer(0, again);
    };
    again();
    await clock.play(() => sleep(clock, 10));
    expect(turns).toBeLessThanOrEqual(11);
  });

  it('says so when it cannot go on', async () => {
    const clock = new VirtualClock();
    await expect(clock.play(() => new Promise(() => undefined))).rejects.toThrow('no timer is set');
  });

  it('fires many timers of random times in their order', async () => {
    const clock = new VirtualClock();
    const times = Array.from({ length: 2000 }, (_, index) => 1 + ((index * 7919) % 1009));
    const fired: [number, number][] = [];
    for (const [nth, ms] of times.entries()) clock.setTimer(ms, () => fired.push([ms, nth]));
    await clock.play(() => sleep(clock, 2000));
    expect(fired).toEqual(times.map((ms, nth): [number, number] => [ms, nth]).sort(([a, i], [b, j]) => a - b || i - j));
  });
});
