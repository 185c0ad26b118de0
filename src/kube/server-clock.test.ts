import { describe, expect, it } from 'vitest';
import { handClock } from '../../test/fakes/clock.ts';
import { ServerClock } from './server-clock.ts';

const START_MS = Date.UTC(2026, 0, 1);
/** As in a header: whole seconds. */
const dateAt = (ms: number): string => new Date(ms).toUTCString();

/** The difference after one answer, which took this long; the server wrote its date at its end. */
function aheadAfter(serverAheadMs: number, tookMs = 0, readLateMs = 0): number {
  const clock = handClock(START_MS);
  const server = new ServerClock(clock);
  const sentMs = clock.nowMs();
  clock.advance(tookMs + readLateMs);
  server.answered(sentMs, dateAt(START_MS + tookMs + serverAheadMs));
  return server.aheadMs;
}

describe("the difference between our clock and the API server's", () => {
  it('is none before an answer, without a date, and with a date that cannot be read', () => {
    const server = new ServerClock(handClock(START_MS));
    expect(server.aheadMs).toBe(0);
    server.answered(START_MS, undefined);
    server.answered(START_MS, 'yesterday');
    expect(server.aheadMs).toBe(0);
  });

  it.each([
    { serverAheadMs: 300_000, from: -300_000, to: -299_000 },
    { serverAheadMs: -300_000, from: 298_000, to: 300_000 },
  ])('is found to a second where the server is $serverAheadMs ms ahead', ({ serverAheadMs, from, to }) => {
    const found = aheadAfter(serverAheadMs, 200);
    expect(found).toBeGreaterThanOrEqual(from);
    expect(found).toBeLessThanOrEqual(to);
  });

  it.each([0, 900])('is none where the server is %d ms ahead', (serverAheadMs) => {
    expect(aheadAfter(serverAheadMs, 50)).toBe(0);
  });

  it('is none where an answer took a minute, or was read a minute late', () => {
    expect(aheadAfter(0, 60_000)).toBe(0);
    expect(aheadAfter(0, 0, 60_000)).toBe(0);
  });

  it('is that of the last answer', () => {
    const clock = handClock(START_MS);
    const server = new ServerClock(clock);
    server.answered(clock.nowMs(), dateAt(START_MS + 300_000));
    server.answered(clock.nowMs(), dateAt(START_MS));
    expect(server.aheadMs).toBe(0);
  });
});
