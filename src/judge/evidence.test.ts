import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultComparison } from './comparison.ts';
import { addWindow, Evidence, learnScatter, noEvidence } from './evidence.ts';
import { judgeComparison } from './judge-comparison.ts';
import type { Window } from './window.ts';

const comparison = { ...defaultComparison, warmUpMs: 60_000 };
const readyAt = { comparison, firstReadyMs: 0 };
const start = noEvidence(comparison);

function window(minute: number, change: Partial<Window> = {}): Window {
  const at = { fromMs: minute * 60_000, toMs: (minute + 1) * 60_000 };
  return { ...at, canary: { requests: 100, failures: 1 }, primary: { requests: 900, failures: 3 }, ...change };
}

describe('addWindow', () => {
  it.each([
    { why: 'a negative count', change: { canary: { requests: 10, failures: -1 } }, reason: 'invalid' },
    { why: 'NaN, as Prometheus answers without series', change: { primary: { requests: Number.NaN, failures: 0 } }, reason: 'invalid' },
    { why: 'many more failures than requests', change: { canary: { requests: 10, failures: 12 } }, reason: 'invalid' },
    { why: 'an end before its begin', change: { toMs: 0 }, reason: 'invalid' },
    { why: 'a begin during the warm-up', change: { fromMs: 30_000 }, reason: 'warmUp' },
    { why: 'no request of the canary', change: { canary: { requests: 0, failures: 0 } }, reason: 'noCanary' },
    { why: 'no request of the primary', change: { primary: { requests: 0, failures: 0 } }, reason: 'noPrimary' },
  ] as const)('skips a window with $why, and says so', ({ change, reason }) => {
    const after = addWindow(start, window(1, change), readyAt);
    expect(after.skipped).toEqual({ ...start.skipped, [reason]: 1 });
    expect(after).toMatchObject({ windows: 0, canary: start.canary, support: start.support });
  });

  it('never counts a request twice: a window that begins before the last one ended is skipped', () => {
    const once = addWindow(start, window(5), readyAt);
    const again = addWindow(addWindow(once, window(5), readyAt), window(4.5), readyAt);
    expect(again).toEqual({ ...once, skipped: { ...once.skipped, overlap: 2 } });
    expect(addWindow(again, window(8), readyAt).windows).toBe(2);
  });

  it('takes failures that extrapolation puts a little above the requests', () =>
    expect(addWindow(start, window(1, { canary: { requests: 10, failures: 10.5 } }), readyAt).windows).toBe(1));

  it('learns the scatter of the primary from before the release, which is not evidence', () => {
    const learned = learnScatter(start, [
      { requests: 900, failures: 0 },
      { requests: 900, failures: 60 },
      { requests: Number.NaN, failures: 1 },
      { requests: 0, failures: 0 },
    ]);
    expect(learned.scatter.primary[0]).toMatchObject({ seen: 900, expected: 15 });
    expect({ ...learned, scatter: start.scatter }).toEqual(start);
  });
});

describe('evidence in a status', () => {
  const count = fc.record({ requests: fc.double({ min: 0, max: 1e7, noNaN: true }), share: fc.double({ min: 0, max: 1, noNaN: true }) });
  const counts = count.map(({ requests, share }) => ({ requests, failures: requests * share }));
  const podNames = Array.from({ length: 30 }, (_, index) => `podinfo-primary-7d9f8c5b6-${index}`);
  const anyWindow = fc.record({ canary: counts, primary: counts, perPod: fc.boolean() });

  it('continues after a restart as if it had never stopped', () => {
    fc.assert(
      fc.property(fc.array(anyWindow, { minLength: 1, maxLength: 30 }), (seen) => {
        let [steady, restarted] = [start, start];
        for (const [index, { canary, primary, perPod }] of seen.entries()) {
          const pods = { canary: [{ name: 'c', ...canary }], primary: podNames.map((name) => ({ name, ...primary })) };
          const next = window(index + 1, { canary, primary, ...(perPod ? { pods } : {}) });
          steady = addWindow(steady, next, readyAt);
          restarted = Evidence.parse(JSON.parse(JSON.stringify(addWindow(restarted, next, readyAt))));
        }
        expect(restarted).toEqual(steady);
        expect(judgeComparison(restarted, comparison)).toEqual(judgeComparison(steady, comparison));
      }),
    );
  });

  it('does not grow with the windows', () => {
    let evidence = start;
    // All lengths of blocks have been compared after 1024 windows, and as many later the same ones are open.
    const sizes = Array.from({ length: 2224 }, (_, index) => {
      const canary = { requests: 123_456.789 + index, failures: 1234.567 + (index % 7) };
      const primary = { requests: 9_123_456.789 + index, failures: 12_345.678 + (index % 11) };
      const pods = { canary: [{ name: 'c', ...canary }], primary: podNames.map((name) => ({ name, ...primary })) };
      evidence = addWindow(evidence, window(index + 1, { canary, primary, pods }), readyAt);
      return JSON.stringify(evidence).length;
    });
    expect(Math.max(...sizes)).toBeLessThan(8000);
    expect((sizes.at(-1) ?? 0) - (sizes[1199] ?? 0)).toBeLessThan(200);
  });

  it.each([
    { why: 'a grid of another size', change: { support: [1, 2] } },
    { why: 'no number', change: { windows: 'many' } },
    { why: 'a negative count', change: { canary: { requests: -1, failures: 0 } } },
    {
      why: 'more pods than are kept',
      change: { pods: { canaryPods: 1, primary: Object.fromEntries(podNames.map((name) => [name, start.canary])) } },
    },
  ])('is refused with $why', ({ change }) => expect(Evidence.safeParse({ ...start, ...change }).success).toBe(false));
});
