import { describe, expect, it } from 'vitest';
import { handClock } from '../../../test/fakes/clock.ts';
import { NoTurnError } from '../../api/turns.ts';
import { FairQueue, type TurnOptions } from '../../kube/fair-queue.ts';
import { partOfFree } from './part-of-free.ts';

/** Turns in the order in which they began; `end` ends the oldest of a key. */
function asked({ total, sure, ...limits }: { total: number; perKey: number; sure?: number; mostWaiting?: number }) {
  const clock = handClock();
  const queue = new FairQueue({ clock, admission: partOfFree({ total, sure }), ...limits });
  const begun: string[] = [];
  const ends = new Map<string, (() => void)[]>();
  const ask = async (key: string, wait: TurnOptions = {}) => {
    const end = await queue.turn(key, wait);
    begun.push(key);
    ends.set(key, [...(ends.get(key) ?? []), end]);
  };
  const end = async (key: string) => {
    ends.get(key)?.shift()?.();
    await settled();
  };
  return { queue, clock, begun, ask, end };
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

describe('I15: turns', () => {
  it('of one key are as many as its limit', async () => {
    const { queue, begun, ask, end } = asked({ total: 100, perKey: 3 });
    times(5, () => ask('a'));
    await settled();
    expect([begun.length, queue.runningOf('a'), queue.waiting]).toEqual([3, 3, 2]);
    await end('a');
    expect([begun.length, queue.runningOf('a'), queue.waiting]).toEqual([4, 3, 1]);
  });

  it.each([1, 2, 7, 30])('leave room for a later key, though %d keys hold theirs for ever', async (hostile) => {
    const { queue, begun, ask } = asked({ total: 256, perKey: 32 });
    for (let key = 0; key < hostile; key += 1) times(1_000, () => ask(`hostile-${key}`));
    await settled();
    expect(queue.running).toBeLessThan(256);
    ask('neighbour');
    await settled();
    expect(begun.at(-1)).toBe('neighbour');
  });

  it.each([43, 200, 1_000])(
    'begin at once for a key that has fewer than its sure turns, though %d keys hold theirs for ever',
    async (hostile) => {
      const { queue, begun, ask } = asked({ total: 256, perKey: 32, sure: 2 });
      for (let key = 0; key < hostile; key += 1) times(50, () => ask(`hostile-${key}`));
      await settled();
      expect(queue.running).toBeLessThanOrEqual(256 + 2 * hostile);
      times(3, () => ask('neighbour'));
      await settled();
      expect(begun.slice(-2)).toEqual(['neighbour', 'neighbour']);
      expect(queue.runningOf('neighbour')).toBe(2);
    },
  );

  it('go round the keys that wait, each in its own order', async () => {
    const { begun, ask, end } = asked({ total: 2, perKey: 2 });
    ask('a');
    ask('b');
    for (const key of ['a', 'a', 'a', 'b', 'c', 'c']) ask(key);
    await settled();
    expect(begun).toEqual(['a', 'b']);
    for (const key of ['a', 'b', 'a', 'b', 'c', 'a']) await end(key);
    expect(begun).toEqual(['a', 'b', 'a', 'b', 'c', 'a', 'c', 'a']);
  });

  it('come round to a waiting key before any of the others has had two', async () => {
    const { queue, begun, ask, end } = asked({ total: 8, perKey: 8 });
    for (let key = 0; key < 20; key += 1) times(50, () => ask(`hostile-${key}`));
    await settled();
    expect(queue.running).toBe(8);
    ask('neighbour');
    for (let turn = 0; !begun.includes('neighbour'); turn += 1) await end(begun[turn] ?? '');
    const since = begun.slice(8, -1);
    expect(since.toSorted()).toEqual([...new Set(since)].toSorted());
  });

  it('are not waited for by more than the limit', async () => {
    const { queue, ask } = asked({ total: 9, perKey: 1, mostWaiting: 2 });
    times(3, () => ask('a'));
    await expect(queue.turn('a')).rejects.toBeInstanceOf(NoTurnError);
    expect([queue.waiting, queue.refused]).toEqual([2, 1]);
    await queue.turn('b');
  });

  it('end once, however often that is said', async () => {
    const { queue } = asked({ total: 2, perKey: 2 });
    const end = await queue.turn('a');
    end();
    end();
    expect([queue.running, queue.runningOf('a')]).toEqual([0, 0]);
  });

  it('that do not come within the wait are refused with what holds them up, and count', async () => {
    const { queue, clock, ask } = asked({ total: 9, perKey: 1 });
    ask('a');
    const late = queue.turn('a', { waitMs: 5_000 });
    const refused = expect(late).rejects.toMatchObject({ name: 'NoTurnError', message: expect.stringContaining('1 calls under way') });
    clock.advance(4_999);
    expect(queue.refused).toBe(0);
    clock.advance(1);
    await refused;
    expect([queue.refused, queue.waiting, clock.pending]).toEqual([1, 0, 0]);
  });

  it('are not waited for once the signal aborts, and leave no timer', async () => {
    const { queue, clock, begun, ask, end } = asked({ total: 9, perKey: 1 });
    ask('a');
    const stop = new AbortController();
    const gone = queue.turn('a', { signal: stop.signal, waitMs: 5_000 });
    stop.abort(new Error('superseded'));
    await expect(gone).rejects.toThrow('superseded');
    await expect(queue.turn('a', { signal: stop.signal })).rejects.toThrow('superseded');
    await end('a');
    expect([queue.waiting, queue.running, clock.pending, begun]).toEqual([0, 0, 0, ['a']]);
  });

  it('end with their work, also where it fails', async () => {
    const { queue } = asked({ total: 9, perKey: 1 });
    expect(await queue.run('a', async () => 1, {})).toBe(1);
    await expect(queue.run('a', () => Promise.reject(new Error('no')), {})).rejects.toThrow('no');
    await expect(queue.run('a', () => Promise.reject(new NoTurnError(1, 'late')), {})).rejects.toThrow(NoTurnError);
    expect(queue.running).toBe(0);
  });
});
