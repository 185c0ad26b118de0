import { describe, expect, it } from 'vitest';
import { Comparison, defaultComparison } from './comparison.ts';
import { addWindow, type Evidence, learnScatter, noEvidence } from './evidence.ts';
import { judgeComparison, weigh } from './judge-comparison.ts';
import { rateBounds } from './rate-evidence.ts';
import type { Counts } from './window.ts';

const comparison: Comparison = { ...defaultComparison, warmUpMs: 0 };
/** A calm past, so that little is left of what is assumed about bursts. */
const calm = (asked: Comparison, primary: Counts) =>
  learnScatter(
    noEvidence(asked),
    Array.from({ length: 180 }, () => primary),
  );

function seen(canary: Counts, primary: Counts, { windows = 10, asked = comparison } = {}): Evidence {
  let evidence = calm(asked, primary);
  for (let index = 0; index < windows; index += 1) {
    const at = { fromMs: index * 60_000, toMs: (index + 1) * 60_000 };
    evidence = addWindow(evidence, { ...at, canary, primary }, { comparison: asked, firstReadyMs: 0 });
  }
  return evidence;
}

const requests = { canary: 600, primary: 5400 };
const rates = (canary: number, primary: number) =>
  [
    { requests: requests.canary, failures: requests.canary * canary },
    { requests: requests.primary, failures: requests.primary * primary },
  ] as const;

describe('the verdict', () => {
  it.each([
    { why: 'ten times worse', canary: 0.02, primary: 0.002, verdict: 'bad' },
    { why: 'the same 2% on both sides, where the primary is at fault', canary: 0.02, primary: 0.02, verdict: 'fine' },
    { why: 'twenty times worse, but below 0.1%', canary: 0.0008, primary: 0.00004, verdict: 'undecided' },
    { why: 'above 0.1%, and 1.4 times worse', canary: 0.014, primary: 0.01, verdict: 'undecided' },
    { why: 'failures without any of the primary', canary: 0.03, primary: 0, verdict: 'bad' },
  ])('is $verdict for $why', ({ canary, primary, verdict }) =>
    expect(weigh(seen(...rates(canary, primary)), comparison).verdict).toBe(verdict),
  );

  it.each([
    { why: 'a canary without failures, by its own rate', canary: 0, primary: 0 },
    { why: 'the same 2% on both sides, by the ratio', canary: 0.02, primary: 0.02 },
  ])('is fine in the end for $why', ({ canary, primary }) =>
    expect(weigh(seen(...rates(canary, primary), { windows: 240 }), comparison).verdict).toBe('fine'),
  );

  it('compares only by the ratio when every rate counts: the same rates are fine, and ten times as many failures are bad', () => {
    const anyRate = { ...comparison, atLeast: 0 };
    const verdict = (canary: number, primary: number, windows: number) =>
      weigh(seen(...rates(canary, primary), { windows, asked: anyRate }), anyRate).verdict;
    expect([verdict(0.02, 0.02, 240), verdict(0.005, 0.0005, 240)]).toEqual(['fine', 'bad']);
  });

  it('waits for three windows, since one burst in one window must be seen as one', () => {
    const disaster = rates(0.9, 0.001);
    expect(weigh(seen(...disaster, { windows: 2 }), comparison).verdict).toBe('undecided');
    expect(weigh(seen(...disaster, { windows: 3 }), comparison).verdict).toBe('bad');
  });

  it('shares the false alarms among metrics, and not the promotions', () => {
    const many = { ...comparison, metrics: 5 };
    const one = weigh(seen(...rates(0.02, 0.002)), comparison);
    const ofFive = weigh(seen(...rates(0.02, 0.002)), many);
    expect(ofFive.logHarmBoundary - one.logHarmBoundary).toBeCloseTo(Math.log(5), 10);
    expect(ofFive.logFineBoundary).toBe(one.logFineBoundary);
    expect(one.logHarmBoundary).toBeCloseTo(Math.log(100), 10);
  });

  it('needs more when pods of the primary differ: the bad nodes could have gone to the canary', () => {
    const pods = (failures: readonly number[], name: string) =>
      failures.map((count, index) => ({ name: `${name}-${index}`, requests: 600, failures: count }));
    const [canary, primary] = rates(0.05, 0.02);
    const spread = [1, 2, 3, 20, 30, 25, 9, 12, 6];
    const window = {
      fromMs: 600_000,
      toMs: 660_000,
      canary,
      primary,
      pods: { canary: pods([30], 'canary'), primary: pods(spread, 'primary') },
    };
    const before = seen(canary, primary);
    expect(weigh(before, comparison).verdict).toBe('bad');
    const after = weigh(addWindow(before, window, { comparison, firstReadyMs: 0 }), comparison);
    expect(after).toMatchObject({ verdict: 'undecided' });
    expect(after.widened).toBeGreaterThan(4);
  });
});

describe('numbers that are shown to users', () => {
  const shown = judgeComparison(seen({ requests: 5100.4, failures: 31.2 }, { requests: 45_812, failures: 22.9 }), comparison);

  it('has both rates and their ratio, each within its interval', () => {
    expect(shown.verdict).toBe('bad');
    expect(shown.canary.estimate).toBeCloseTo(0.00612, 5);
    expect(shown.primary.estimate).toBeCloseTo(0.0005, 5);
    for (const { low, estimate, high } of [shown.canary, shown.primary])
      expect([low, estimate, high]).toEqual([low, estimate, high].toSorted((a, b) => a - b));
    expect(shown.ratio.estimate).toBeCloseTo(12.24, 2);
    expect(shown.ratio.low).toBeGreaterThan(5);
    expect(shown.ratio.high).toBeLessThan(30);
    expect(shown.toDecide).toBeUndefined();
  });

  it('gives each end of an interval half of the chance: by as much wider than a verdict needs', () => {
    const evidence = seen(...rates(0.02, 0.01));
    const { canary, logHarmBoundary, dispersion } = judgeComparison(evidence, comparison);
    const { low, high } = canary;
    expect({ low, high }).toEqual(rateBounds(evidence.canary, dispersion, logHarmBoundary + Math.log(2)));
  });

  it('has no ratio while the primary has no failures', () =>
    expect(judgeComparison(seen(...rates(0.001, 0)), comparison).ratio.estimate).toBeUndefined());

  it('has a ratio from the first part of a request on, and none without any', () => {
    const [, primary] = rates(0, 0.01);
    expect(judgeComparison(seen({ requests: 0.05, failures: 0 }, primary), comparison).ratio.estimate).toBe(0);
    expect(judgeComparison(seen({ requests: 0, failures: 0 }, primary), comparison).ratio.estimate).toBeUndefined();
  });

  it('reports a primary that fails, and does not blame the canary', () => {
    const failing = judgeComparison(seen(...rates(0.3, 0.3)), comparison);
    expect(failing).toMatchObject({ isPrimaryFailing: true });
    expect(failing.verdict).not.toBe('bad');
    expect(judgeComparison(seen(...rates(0.01, 0.01)), comparison).isPrimaryFailing).toBe(false);
  });
});

describe('the time to a decision', () => {
  it('foretells when a steady canary is decided', () => {
    for (const [canary, primary] of [rates(0.02, 0.02), rates(0, 0), rates(0.004, 0.001)]) {
      const early = judgeComparison(seen(canary, primary, { windows: 4 }), comparison);
      let windows = 4;
      while (windows < 2000 && weigh(seen(canary, primary, { windows }), comparison).verdict === 'undecided')
        windows += windows < 60 ? 1 : 10;
      const minutes = (early.toDecide?.seconds ?? 0) / 60;
      if (early.toDecide !== undefined) {
        expect(minutes).toBeGreaterThan((windows - 4) / 3);
        expect(minutes).toBeLessThan((windows - 4) * 3 + 3);
      }
    }
  });

  it('names the weight that would help when a decision is out of reach', () => {
    const { toDecide } = judgeComparison(seen({ requests: 30, failures: 0 }, { requests: 2970, failures: 3 }), comparison);
    expect(toDecide?.isInReach).toBe(false);
    expect(toDecide?.helpfulWeight).toBeGreaterThan(1);
    expect(toDecide?.toward).toBe('fine');
  });

  it('names one percent if the canary has less and that is enough', () => {
    const [canary, primary] = [
      { requests: 30, failures: 0.03 },
      { requests: 299_970, failures: 299.97 },
    ];
    const { toDecide } = judgeComparison(seen(canary, primary), comparison);
    expect(toDecide).toMatchObject({ isInReach: false, helpfulWeight: 1 });
  });

  it('names no helpful weight if none of the weights helps, or without traffic', () => {
    const slow = judgeComparison(seen({ requests: 0.3, failures: 0 }, { requests: 2.7, failures: 0.001 }), comparison).toDecide;
    expect(slow).toMatchObject({ isInReach: false, helpfulWeight: undefined });
    const none = judgeComparison(noEvidence(comparison), comparison).toDecide;
    expect(none).toEqual({ seconds: undefined, toward: undefined, isInReach: false, helpfulWeight: undefined });
  });
});

describe('Comparison', () => {
  it.each([
    { field: 'tolerate', value: 0.9, message: 'tolerate: must be 1 or more' },
    { field: 'tolerate', value: 'x', message: 'tolerate: must be a number such as 1.5' },
    { field: 'atLeast', value: 2, message: 'atLeast: must be 1 or less' },
    { field: 'falseAlarm', value: 0, message: 'falseAlarm: must be 0.000001 or more' },
    { field: 'metrics', value: 0, message: 'metrics: must be 1 or more' },
  ])('refuses $field: $value', ({ field, value, message }) =>
    expect(Comparison.safeParse({ ...defaultComparison, [field]: value }).error?.issues[0]?.message).toBe(message),
  );

  it('takes the defaults', () => expect(Comparison.parse(defaultComparison)).toEqual(defaultComparison));
});
