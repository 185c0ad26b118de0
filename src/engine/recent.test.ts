import { expect, it } from 'vitest';
import { aCanary, initialized } from '../../test/fakes/world.ts';
import type { Verdict } from '../api/canary-status.ts';
import { withRecent, withRecentWeight } from './recent.ts';

const passed = (value: number): Verdict => ({ check: 'errors', verdict: 'passed', value });

it('the last five measurements of each check are kept, with their times, and none of a removed check', () => {
  let recent = {};
  for (let value = 1; value <= 7; value += 1) recent = withRecent(recent, [passed(value), { check: 'lag', verdict: 'unmeasured' }], value);
  const last = [3, 4, 5, 6, 7];
  expect(recent).toEqual({
    errors: last.map((value) => ({ atMs: value, verdict: 'passed', value })),
    lag: last.map((atMs) => ({ atMs, verdict: 'unmeasured' })),
  });
  expect(Object.keys(withRecent(recent, [passed(8)], 8))).toEqual(['errors']);
});

it('a check that could not be measured yet is not a measurement, and the status does not grow with the number of metrics', () => {
  expect(withRecent({}, [{ ...passed(1), verdict: 'unmeasured', early: true }], 1)).toEqual({ errors: [] });
  const many = Array.from({ length: 50 }, (_, index) => ({ ...passed(1), check: `m${index}` }));
  expect(Object.keys(withRecent({}, many, 1))).toHaveLength(20);
});

it('a release shows its measurements, which cost no status write of their own and are forgotten by the next one', () => {
  const world = initialized(aCanary({ stepWeight: 20, maxWeight: 40, threshold: 9 }));
  world.push('s1:b');
  world.behaviour.verdicts = [{ check: 'errors', verdict: 'failed', value: 9 }];
  world.tickUntil((one) => one.canary.status?.canaryWeight === 20);
  for (let ticks = 1; ticks <= 3; ticks += 1) {
    const before = world.asked.length;
    world.tick();
    const records = world.asked.slice(before).filter(({ kind }) => kind === 'record');
    expect([records.length, world.canary.status?.release?.recent?.errors?.length]).toEqual([1, ticks]);
  }
  world.push('s1:c');
  expect(world.release.recent).toBeUndefined();
});

it('a release shows its weights from its start, and the next one starts over', () => {
  const world = initialized(aCanary({ stepWeight: 20, maxWeight: 40 }));
  expect(world.release.weights).toBeUndefined();
  const weights = () => world.release.weights?.map(({ weight }) => weight);
  world.push('s1:b');
  const beganMs = world.release.startedMs;
  world.tickUntil((one) => one.phase === 'Succeeded' && one.step === 'resting');
  expect(weights()).toEqual([0, 20, 40, 0]);
  expect(world.release.weights?.[0]?.atMs).toBe(beganMs);
  const times = world.release.weights?.map(({ atMs }) => atMs) ?? [];
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  world.push('s1:c');
  expect(weights()).toEqual([0]);
});

it('the weights of a release that falls again and again stay few, and keep its start', () => {
  let { release } = initialized();
  release = { ...release, run: 1 };
  for (let atMs = 1; atMs <= 100; atMs += 1) release = withRecentWeight(release, atMs % 2, atMs);
  expect(release.weights).toHaveLength(40);
  expect(release.weights?.[0]).toEqual({ atMs: 1, weight: 1 });
  expect(release.weights?.at(-1)).toEqual({ atMs: 100, weight: 0 });
  expect(withRecentWeight(release, 0, 101)).toBe(release);
});
