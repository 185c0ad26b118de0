import { describe, expect, it } from 'vitest';
import { handClock } from '../../test/fakes/clock.ts';
import { NoTurnError } from '../api/turns.ts';
import { FairQueue } from './fair-queue.ts';
import type { Priority } from './priority.ts';
import { createTokenBucket } from './token-bucket.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

function given({ qps = 10, burst = 1, mostUnderWay = 100 } = {}) {
  const clock = handClock();
  const queue = new FairQueue({ clock, admission: createTokenBucket(clock, { qps, burst }), perKey: mostUnderWay });
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const enter = (line: string, signal?: AbortSignal, priority: Priority = 'release') =>
    queue.turn(line, { signal, priority }).then((ended) => {
      begun.push(line);
      ends.push(ended);
    });
  return { clock, queue, begun, ends, enter };
}

describe('FairQueue', () => {
  it('I15: with 4,000 of one namespace waiting, that of another one goes out next', async () => {
    const { clock, begun, enter } = given();
    for (let count = 0; count < 4000; count += 1) void enter('loud');
    void enter('calm');
    await settled();
    expect(begun).toEqual(['loud']);
    clock.advance(200);
    await settled();
    expect(begun).toEqual(['loud', 'loud', 'calm']);
  });

  it('lets lines of any length take turns, and keeps the order within each', async () => {
    const { clock, begun, enter } = given();
    for (const line of ['a', 'a', 'a', 'b', 'b', 'c']) void enter(line);
    for (let count = 0; count < 6; count += 1) {
      clock.advance(100);
      await settled();
    }
    expect(begun).toEqual(['a', 'a', 'b', 'c', 'a', 'b']);
  });

  it('I15: upkeep of hundreds of namespaces goes after other work, and gets one turn of four while other work waits', async () => {
    const { clock, begun, enter } = given();
    for (let count = 0; count < 200; count += 1) void enter(`upkeep/${count}`, undefined, 'upkeep');
    for (let count = 0; count < 9; count += 1) void enter('release');
    await settled();
    for (let count = 0; count < 14; count += 1) {
      clock.advance(100);
      await settled();
    }
    const kinds = begun.map((line) => (line === 'release' ? 'R' : 'u')).join('');
    expect(kinds).toBe('uRRuRRRuRRRuRuu'); // the first one had no other work beside it
  });

  it('I15: bounds the running work of one line; the others go past it', async () => {
    const { begun, ends, enter } = given({ burst: 100, mostUnderWay: 2 });
    for (const line of ['loud', 'loud', 'loud', 'loud', 'calm']) void enter(line);
    await settled();
    expect(begun).toEqual(['loud', 'loud', 'calm']);
    ends[0]?.();
    ends[0]?.();
    await settled();
    expect(begun).toEqual(['loud', 'loud', 'calm', 'loud']);
  });

  it('an aborted waiter leaves at once, without its turn', async () => {
    const { clock, begun, enter } = given();
    const stop = new AbortController();
    void enter('a');
    const waiting = enter('a', stop.signal);
    void enter('a');
    stop.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
    clock.advance(100);
    await settled();
    expect(begun).toEqual(['a', 'a']);
    expect(clock.pending).toBe(0);
  });

  it('waits for nothing when the last waiting call is aborted', async () => {
    const { clock, enter } = given();
    const stop = new AbortController();
    void enter('a');
    const waiting = enter('a', stop.signal);
    expect(clock.pending).toBe(1);
    stop.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
    expect(clock.pending).toBe(0);
    await expect(enter('a', stop.signal)).rejects.toThrow('stopped');
  });

  it('begins more when one ends, if the admission rule counts running work', async () => {
    let free = 1;
    const admission = {
      take: () => (free > 0 ? --free : Number.POSITIVE_INFINITY),
      ended: () => {
        free += 1;
      },
    };
    const clock = handClock();
    const queue = new FairQueue({ clock, admission, perKey: 10 });
    const first = await queue.turn('a');
    const second = queue.turn('b');
    expect(clock.pending).toBe(0);
    first();
    (await second)();
  });

  it('rejects and counts work above the limit of its key; another key is not affected', async () => {
    const admission = { take: () => Number.POSITIVE_INFINITY };
    const queue = new FairQueue({ clock: handClock(), admission, perKey: 10, mostWaiting: 2 });
    const stop = new AbortController();
    const waiting = ['loud', 'loud', 'calm'].map((key) => queue.turn(key, { signal: stop.signal }).catch(() => 'stopped'));
    await expect(queue.turn('loud')).rejects.toBeInstanceOf(NoTurnError);
    expect([queue.waiting, queue.refused]).toEqual([3, 1]);
    stop.abort();
    expect(await Promise.all(waiting)).toEqual(['stopped', 'stopped', 'stopped']);
  });

  it('skips a line that is not admitted, and serves the next line that is admitted', async () => {
    const admission = { take: (own: number) => (own === 0 ? 0 : Number.POSITIVE_INFINITY) };
    const queue = new FairQueue({ clock: handClock(), admission, perKey: 10 });
    const ended = await queue.turn('loud');
    const second = queue.turn('loud');
    (await queue.turn('calm'))();
    ended();
    (await second)();
    expect([queue.running, queue.waiting]).toEqual([0, 0]);
  });
});
