import { describe, expect, it } from 'vitest';
import { latencyWindow, planLatency } from './latency.ts';

const boundsMs = [10, 25, 50, 100, 250, 500, Number.POSITIVE_INFINITY];
const buckets = (...cumulative: number[]) => ({ boundsMs, cumulative });
const usual = buckets(500, 800, 950, 990, 998, 999, 1000);

describe('planLatency', () => {
  it('takes the bound nearest to the quantile, and the first at or above the tolerated multiple', () => {
    expect(planLatency(usual, { quantile: 0.99, tolerate: 1.2 })).toEqual({ primaryMs: 100, canaryMs: 250, tolerated: 2.5 });
    expect(planLatency(usual, { quantile: 0.95, tolerate: 2 })).toEqual({ primaryMs: 50, canaryMs: 100, tolerated: 2 });
  });

  it.each([
    { why: 'no requests', primary: buckets(0, 0, 0, 0, 0, 0, 0), problem: 'noRequests' },
    { why: 'no buckets', primary: { boundsMs: [], cumulative: [] }, problem: 'noRequests' },
    { why: 'all within the first bound', primary: buckets(9, 9, 9, 9, 9, 9, 9), problem: 'noSlowRequests' },
    { why: 'the quantile in the last finite bucket', primary: buckets(0, 0, 0, 0, 0, 99, 100), problem: 'noBucketAbove' },
  ])('says why it cannot: $why', ({ primary, problem }) => expect(planLatency(primary, { quantile: 0.99, tolerate: 1.2 })).toBe(problem));
});

describe('latencyWindow', () => {
  const plan = { primaryMs: 100, canaryMs: 250, tolerated: 2.5 };

  it('counts slow requests of both sides, each above its own threshold', () =>
    expect(latencyWindow({ fromMs: 0, toMs: 1, canary: buckets(50, 80, 90, 95, 97, 99, 100), primary: usual }, plan)).toEqual({
      fromMs: 0,
      toMs: 1,
      canary: { requests: 100, failures: 3 },
      primary: { requests: 1000, failures: 10 },
    }));

  it('has no negative counts if extrapolated buckets cross', () =>
    expect(latencyWindow({ fromMs: 0, toMs: 1, canary: buckets(0, 0, 0, 0, 10.2, 10, 10), primary: usual }, plan)).toMatchObject({
      canary: { failures: 0 },
    }));

  it('needs the same bounds on both sides', () =>
    expect(latencyWindow({ fromMs: 0, toMs: 1, canary: { boundsMs: [10, 100], cumulative: [1, 2] }, primary: usual }, plan)).toBe(
      'bucketsDiffer',
    ));
});
