import { describe, expect, it } from 'vitest';
import { WriteLimit } from './write-limit.ts';

const MOST = 32;

/** Rounds of as many writes as the limit allows, all at once; each takes `latencyMs`. */
function rounds(limit: WriteLimit, count: number, latencyMs: (limit: number, nth: number) => number, fromMs = 0): number {
  let nowMs = fromMs;
  for (let round = 0; round < count; round += 1) {
    const now = limit.limit;
    for (let nth = 1; nth <= now; nth += 1) limit.began(nth);
    const spans = Array.from({ length: now }, (_, nth) => ({ startedAtMs: nowMs, endedAtMs: nowMs + latencyMs(now, nth + 1) }));
    for (const span of spans) limit.answered(span);
    nowMs = Math.max(...spans.map(({ endedAtMs }) => endedAtMs));
  }
  return nowMs;
}

describe('WriteLimit', () => {
  it.each([
    { server: 'answers in 20 ms, however many are under way', latencyMs: () => 20, after: 10, limit: 14 },
    { server: 'never gets slower', latencyMs: () => 20, after: 100, limit: MOST },
    { server: 'answers one after the other, 1 s each', latencyMs: (_: number, nth: number) => nth * 1000, after: 20, limit: 4 },
    { server: 'gets slower from 8 on', latencyMs: (now: number) => (now > 8 ? 900 : 20), after: 30, limit: 9 },
  ])(
    'begins with 4 and grows by one a round while latency is flat: $limit for a server that $server',
    ({ latencyMs, after, limit: end }) => {
      const limit = new WriteLimit(MOST);
      expect(limit.limit).toBe(4);
      rounds(limit, after, latencyMs);
      expect(limit.limit).toBe(end);
    },
  );

  it('does not grow while fewer are under way than the limit allows', () => {
    const limit = new WriteLimit(MOST);
    for (let nth = 0; nth < 100; nth += 1) {
      limit.began(1);
      limit.answered({ startedAtMs: nth * 20, endedAtMs: nth * 20 + 20 });
    }
    expect(limit.limit).toBe(4);
  });

  it('halves once a round trip: refusals of writes that were sent before the cut count once', () => {
    const limit = new WriteLimit(MOST);
    const nowMs = rounds(limit, 100, () => 20);
    for (let nth = 0; nth < 32; nth += 1) limit.overloaded({ startedAtMs: nowMs, endedAtMs: nowMs + 10 + nth });
    expect(limit.limit).toBe(16);
    limit.overloaded({ startedAtMs: nowMs + 11, endedAtMs: nowMs + 100 });
    expect(limit.limit).toBe(8);
  });

  it('never falls below one, and grows again from there', () => {
    const limit = new WriteLimit(MOST);
    for (let nth = 0; nth < 20; nth += 1) limit.overloaded({ startedAtMs: nth * 10, endedAtMs: nth * 10 + 5 });
    expect([limit.limit, limit.isCut]).toEqual([1, true]);
    rounds(limit, 5, () => 20, 1000);
    expect([limit.limit, limit.isCut]).toEqual([6, false]);
  });

  it('compares with its past for a while only: a server that became slower for good is used as before', () => {
    const limit = new WriteLimit(MOST);
    const nowMs = rounds(limit, 2, () => 200);
    const before = limit.limit;
    rounds(limit, 20, () => 1_000, nowMs);
    expect(limit.limit).toBe(before);
    rounds(limit, 20, () => 1_000, nowMs + 1_800_000);
    expect(limit.limit).toBeGreaterThan(before);
  });
});
