import { expect, it } from 'vitest';
import { handClock } from '../../test/fakes/clock.ts';
import { RetryBudget } from './retry-budget.ts';

const takeAll = (budget: RetryBudget): number => {
  let taken = 0;
  while (budget.take() === 0) taken += 1;
  return taken;
};

it('allows a stock of retries, then one in two seconds, however many wait', () => {
  const clock = handClock();
  const budget = new RetryBudget(clock);
  expect(takeAll(budget)).toBe(20);
  expect(budget.take()).toBe(2_000);
  clock.advance(60_000);
  expect(takeAll(budget)).toBe(20);
  clock.advance(10_000);
  expect(takeAll(budget)).toBe(5);
});

it('five requests that succeed earn one retry, and no more than the stock is saved up', () => {
  const clock = handClock();
  const budget = new RetryBudget(clock);
  takeAll(budget);
  for (let nth = 0; nth < 10; nth += 1) budget.ended({ hasSucceeded: true, wasRetry: false });
  expect(takeAll(budget)).toBe(2);
  for (let nth = 0; nth < 1000; nth += 1) budget.ended({ hasSucceeded: true, wasRetry: false });
  expect(takeAll(budget)).toBe(20);
});

it('once four retries in a row have succeeded they cost nothing: all go on soon after the end of an outage', () => {
  const clock = handClock();
  const budget = new RetryBudget(clock);
  takeAll(budget);
  clock.advance(10_000);
  let underWay = takeAll(budget);
  expect(underWay).toBe(5);
  let done = 0;
  for (let roundTrips = 0; done < 300 && roundTrips < 60; roundTrips += 1) {
    for (let nth = 0; nth < underWay; nth += 1) budget.ended({ hasSucceeded: true, wasRetry: true });
    done += underWay;
    clock.advance(100);
    underWay = takeAll(budget);
  }
  expect(done).toBeGreaterThanOrEqual(300);
});

it('a server that refuses half of all requests does not count as recovered: retries stay at a fifth of what succeeds', () => {
  const clock = handClock();
  const budget = new RetryBudget(clock);
  takeAll(budget);
  let retries = 0;
  for (let nth = 0; nth < 1_000; nth += 1) {
    budget.ended({ hasSucceeded: nth % 2 === 0, wasRetry: false });
    for (; budget.take() === 0; retries += 1) budget.ended({ hasSucceeded: retries % 2 === 0, wasRetry: true });
  }
  expect(retries).toBeGreaterThan(90);
  expect(retries).toBeLessThan(120);
});
