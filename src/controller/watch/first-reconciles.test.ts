import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { handClock } from '../../../test/fakes/clock.ts';
import { FirstReconciles, HELD_FOR_MS, MOST_AT_ONCE } from './first-reconciles.ts';

function given(count: number) {
  const clock = handClock();
  const begun: string[] = [];
  const underWay = new Map<string, PromiseWithResolvers<void>>();
  const reconciles = new FirstReconciles(clock, (key) => {
    begun.push(key);
    const ended = Promise.withResolvers<void>();
    underWay.set(key, ended);
    return ended.promise;
  });
  const keys = Array.from({ length: count }, (_, index) => `shop/${index}`);
  reconciles.begin(keys);
  return { clock, reconciles, begun, keys, underWay };
}

it('a few at a time, in their order; the next one comes when one has ended, or failed', async () => {
  const { begun, keys, underWay } = given(MOST_AT_ONCE + 5);
  expect(begun).toEqual(keys.slice(0, MOST_AT_ONCE));
  underWay.get('shop/3')?.resolve();
  underWay.get('shop/7')?.reject(new Error('bad'));
  await turnOfTheLoop();
  expect(begun).toEqual(keys.slice(0, MOST_AT_ONCE + 2));
});

it('I15: a slow reconcile keeps no other waiting, and counts once', async () => {
  const { clock, begun, keys, underWay } = given(3 * MOST_AT_ONCE);
  clock.advance(HELD_FOR_MS - 1);
  expect(begun).toHaveLength(MOST_AT_ONCE);
  clock.advance(1);
  expect(begun).toEqual(keys.slice(0, 2 * MOST_AT_ONCE));
  for (const ended of underWay.values()) ended.resolve();
  await turnOfTheLoop();
  expect(begun).toEqual(keys);
  expect(clock.pending).toBe(MOST_AT_ONCE);
});

it('a Canary that was reconciled for another reason is not reconciled again', async () => {
  const { reconciles, begun, keys, underWay } = given(MOST_AT_ONCE + 2);
  const [next = '', last] = keys.slice(-2);
  expect(reconciles.isWaiting(next)).toBe(true);
  reconciles.remove(next);
  expect(reconciles.isWaiting(next)).toBe(false);
  underWay.get('shop/0')?.resolve();
  await turnOfTheLoop();
  expect(begun).toEqual([...keys.slice(0, MOST_AT_ONCE), last]);
});

it('after a stop nothing is begun, and no timer is left', async () => {
  const { clock, reconciles, begun, underWay } = given(2 * MOST_AT_ONCE);
  reconciles.stop();
  underWay.get('shop/0')?.resolve();
  await turnOfTheLoop();
  expect([begun.length, clock.pending]).toEqual([MOST_AT_ONCE, 0]);
});
