import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addPoint, dropBefore, floatsIn, newestUpTo, type Run } from './runs.ts';

/** Scrapes a few milliseconds apart, of which each has a value, a stale marker or nothing (`missed`), and some a time of their own. */
const aStep = fc.record({
  afterMs: fc.integer({ min: 0, max: 3 }),
  value: fc.constantFrom<number | undefined | 'missed'>(1, 1, 1, 2, Number.NaN, 0, -0, undefined, 'missed'),
  own: fc.boolean(),
});

it('holds the points that a plain list would hold, each at its time', () => {
  fc.assert(
    fc.property(fc.array(aStep, { maxLength: 40 }), fc.nat(60), fc.nat(60), fc.nat(60), (steps, startMs, endMs, oldestMs) => {
      const times: number[] = [];
      const runs: Run[] = [];
      let plain: { tMs: number; value: number | undefined }[] = [];
      let nowMs = 0;
      for (const { afterMs, value, own } of steps) {
        nowMs += afterMs;
        times.push(nowMs);
        if (value === 'missed') continue;
        if (own) addPoint(runs, [nowMs], 0, value);
        else addPoint(runs, times, times.length - 1, value);
        if ((plain.at(-1)?.tMs ?? -1) < nowMs) plain.push({ tMs: nowMs, value });
      }
      const agree = () => {
        expect(floatsIn(runs, startMs, endMs)).toEqual(
          plain.filter(({ tMs, value }) => tMs > startMs && tMs <= endMs && value !== undefined),
        );
        expect(newestUpTo(runs, endMs)).toEqual(plain.findLast(({ tMs }) => tMs <= endMs));
      };
      agree();
      dropBefore(runs, oldestMs);
      plain = plain.filter(({ tMs }) => tMs >= oldestMs);
      agree();
    }),
  );
});
