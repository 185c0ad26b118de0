import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { handClock } from '../../../test/fakes/clock.ts';
import { PACE, WorkTurns } from './work-turns.ts';

function given() {
  const clock = handClock();
  const errors: unknown[] = [];
  const turns = new WorkTurns(clock, (error) => errors.push(error));
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

describe('while answers and timers take long', () => {
  /** A busy loop: so many changes wait, each a millisecond of work, and other work of each turn takes so long. */
  const busy = (waiting: number) => {
    const { clock, turns, done } = given();
    const work = (key: string) => () => {
      done.push(key);
      clock.advance(1);
    };
    for (let index = 0; index < waiting; index += 1) turns.add('shop', `shop/${index}`, work(`shop/${index}`));
    const turn = async (elsewhereMs: number) => {
      const before = done.length;
      clock.advance(elsewhereMs);
      await turnOfTheLoop();
      return done.length - before;
    };
    return { turns, work, turn };
  };

  it('I15: changes get a quarter of the time', async () => {
    const { turn } = busy(1_000);
    for (let index = 0; index < 10; index += 1) await turn(90);
    const share = await turn(90);
    expect(share).toBeGreaterThanOrEqual(28);
    expect(share).toBeLessThanOrEqual(32);
  });

  it('one long pause makes no long slice, and calm ones make it small again', async () => {
    const { turn } = busy(1_000);
    expect(await turn(60_000)).toBe(10);
    expect(await turn(0)).toBe(20);
    for (let index = 0; index < 3; index += 1) await turn(0);
    expect(await turn(0)).toBe(10);
  });

  it('it is never longer than a tenth of a second', async () => {
    const { turn } = busy(1_000);
    for (let index = 0; index < 6; index += 1) await turn(10_000);
    expect(await turn(10_000)).toBe(100);
  });

  it('a slice after which nothing waits makes the next one no longer', async () => {
    const { turns, work, turn } = busy(15);
    await turn(60_000);
    for (let index = 0; index < 100; index += 1) turns.add('shop', `later/${index}`, work('later'));
    expect(await turn(0)).toBe(10);
  });
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

it('I15: a changed key is forgotten when its burst is full again, and until then it goes on counting', () => {
  const { clock, turns, change } = given();
  for (let index = 0; index < 100; index += 1) change(`shop/${index}`);
  clock.advance(5_000);
  change('shop/0');
  expect(turns.remembered).toBe(100);
  clock.advance(5_000);
  change('shop/1');
  expect(turns.remembered).toBe(2);
  clock.advance(4_999);
  change('shop/2');
  expect(turns.remembered).toBe(3);
  turns.stop();
});
