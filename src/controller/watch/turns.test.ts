import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { handClock } from '../../../test/fakes/clock.ts';
import { PACE, Turns } from './turns.ts';

function given() {
  const clock = handClock();
  const errors: unknown[] = [];
  const turns = new Turns(clock, (error) => errors.push(error));
  const done: string[] = [];
  const change = (key: string) => turns.add(key.split('/')[0] ?? '', key, () => done.push(key));
  return { clock, turns, done, change, errors };
}

it('a change is dealt with at once', () => {
  const { done, change } = given();
  change('shop/web');
  change('shop/web');
  expect(done).toEqual(['shop/web', 'shop/web']);
});

it('I15: after 1,000 changes of one namespace that of another one has its turn next, and timers have theirs in between', async () => {
  const { done, change } = given();
  for (let index = 0; index < 1000; index += 1) change(`loud/${index}`);
  change('calm/web');
  const before = done.length;
  expect(before).toBeLessThan(20);
  await turnOfTheLoop();
  expect(done.indexOf('calm/web')).toBeGreaterThanOrEqual(before);
  expect(done.indexOf('calm/web')).toBeLessThan(before + 2);
  expect(done.length).toBeLessThan(40);
  while (done.length < 1001) await turnOfTheLoop();
  expect(new Set(done).size).toBe(1001);
});

it('I15: 1,000 changes of one Canary at once are looked at a few times, the last time after the last one', async () => {
  const { clock, turns } = given();
  let value = 0;
  const seen: number[] = [];
  for (let index = 0; index < 1000; index += 1) {
    value += 1;
    turns.add('shop', 'shop/web', () => seen.push(value));
  }
  await turnOfTheLoop();
  clock.advance(1_000);
  await turnOfTheLoop();
  expect(seen.length).toBeLessThan(PACE.burst);
  expect(seen.at(-1)).toBe(1000);
});

it('I15: 100 changes a second for a minute are looked at as often as the pace allows', async () => {
  const { clock, turns } = given();
  let value = 0;
  const seen: number[] = [];
  for (let index = 0; index < 6000; index += 1) {
    value += 1;
    turns.add('shop', 'shop/web', () => seen.push(value));
    clock.advance(10);
    await turnOfTheLoop();
  }
  clock.advance(1_000);
  expect(seen.length).toBeLessThanOrEqual(PACE.burst + PACE.qps * 61 + 1);
  expect(seen.at(-1)).toBe(6000);
  expect(clock.pending).toBe(0);
});

it('work that fails keeps no other from its turn', () => {
  const { turns, done, change, errors } = given();
  turns.add('shop', 'shop/bad', () => {
    throw new Error('bad');
  });
  change('shop/web');
  expect([done, errors]).toEqual([['shop/web'], [new Error('bad')]]);
});

it('does nothing after a stop', async () => {
  const { clock, turns, done, change } = given();
  for (let index = 0; index < 100; index += 1) change('shop/web');
  for (let index = 0; index < 100; index += 1) change(`shop/${index}`);
  turns.stop();
  const before = done.length;
  change('shop/web');
  clock.advance(10_000);
  await turnOfTheLoop();
  expect([done.length, clock.pending]).toEqual([before, 0]);
});
