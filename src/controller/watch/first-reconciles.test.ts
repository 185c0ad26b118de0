import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { handClock } from '../../../test/fakes/clock.ts';
import { FirstLooks, HELD_FOR_MS, MOST_AT_ONCE } from './first-looks.ts';

function given(count: number) {
  const clock = handClock();
  const begun: string[] = [];
  const underWay = new Map<string, PromiseWithResolvers<void>>();
  const looks = new FirstLooks(clock, (key) => {
    begun.push(key);
    const look = Promise.withResolvers<void>();
    underWay.set(key, look);
    return look.promise;
  });
  const keys = Array.from({ length: count }, (_, index) => `shop/${index}`);
  looks.begin(keys);
  return { clock, looks, begun, keys, underWay };
}

it('a few at a time, in their order; the next one comes when one has ended, or failed', async () => {
  const { begun, keys, underWay } = given(MOST_AT_ONCE + 5);
  expect(begun).toEqual(keys.slice(0, MOST_AT_ONCE));
  underWay.get('shop/3')?.resolve();
  underWay.get('shop/7')?.reject(new Error('bad'));
  await turnOfTheLoop();
  expect(begun).toEqual(keys.slice(0, MOST_AT_ONCE + 2));
});

it('I15: one that takes long keeps no other waiting, and counts once', async () => {
  const { clock, begun, keys, underWay } = given(3 * MOST_AT_ONCE);
  clock.advance(HELD_FOR_MS - 1);
  expect(begun).toHaveLength(MOST_AT_ONCE);
  clock.advance(1);
  expect(begun).toEqual(keys.slice(0, 2 * MOST_AT_ONCE));
  for (const look of underWay.values()) look.resolve();
  await turnOfTheLoop();
  expect(begun).toEqual(keys);
  expect(clock.pending).toBe(MOST_AT_ONCE);
});

it('one whose turn has come by other ways is not looked at again', async () => {
  const { looks, begun, keys, underWay } = given(MOST_AT_ONCE + 2);
  const [next = '', last] = keys.slice(-2);
  expect(looks.isWaiting(next)).toBe(true);
  looks.remove(next);
  expect(looks.isWaiting(next)).toBe(false);
  underWay.get('shop/0')?.resolve();
  await turnOfTheLoop();
  expect(begun).toEqual([...keys.slice(0, MOST_AT_ONCE), last]);
});

it('after a stop nothing is begun, and no timer is left', async () => {
  const { clock, looks, begun, underWay } = given(2 * MOST_AT_ONCE);
  looks.stop();
  underWay.get('shop/0')?.resolve();
  await turnOfTheLoop();
  expect([begun.length, clock.pending]).toEqual([MOST_AT_ONCE, 0]);
});
