import { expect, it } from 'vitest';
import { HealingBrake } from './healing-brake.ts';

it('the brake allows at most 20 corrections of one object in 10 minutes against a healer that reverts every second', () => {
  const brake = new HealingBrake();
  let corrections = 0;
  for (let nowMs = 0; nowMs <= 600_000; nowMs += 1000) {
    if (brake.waitMs('service', nowMs) > 0) continue;
    brake.corrected('service', nowMs, { field: 'spec.selector', by: 'another', who: 'argocd' });
    corrections += 1;
  }
  expect(corrections).toBeGreaterThan(5);
  expect(corrections).toBeLessThanOrEqual(20);
  expect(brake.contested()).toMatchObject([{ key: 'service', field: 'spec.selector', who: 'argocd' }]);
});

it('the first correction is immediate, and does not yet count as contested', () => {
  const brake = new HealingBrake();
  expect(brake.waitMs('service', 0)).toBe(0);
  brake.corrected('service', 0, { field: 'spec.selector', by: 'another' });
  expect(brake.contested()).toEqual([]);
});

const undone = { field: 'spec', by: 'another' } as const;

it('I18: the pause of one object delays no other', () => {
  const brake = new HealingBrake();
  for (const nowMs of [0, 1_000, 3_000, 7_000, 15_000]) brake.corrected('route', nowMs, undone, { isRoute: true });
  brake.corrected('scaler', 15_000, undone);
  expect([brake.waitMs('route', 15_000), brake.waitMs('scaler', 15_000), brake.waitMs('other', 15_000)]).toEqual([16_000, 1_000, 0]);
});

it('routes that are contested at once are corrected together, so that a release sees all of them hold', () => {
  const brake = new HealingBrake();
  const corrected: { key: string; atMs: number }[] = [];
  for (let nowMs = 0; nowMs <= 120_000; nowMs += 100) {
    const drifted = nowMs < 1500 ? ['service'] : ['service', 'route'];
    for (const key of drifted.filter((one) => brake.waitMs(one, nowMs) === 0)) {
      brake.corrected(key, nowMs, undone, { isRoute: true });
      corrected.push({ key, atMs: nowMs });
    }
  }
  const of = (key: string) => corrected.filter((one) => one.key === key).map(({ atMs }) => atMs);
  const braked = of('route').filter((atMs) => atMs > 5_000);
  expect(braked.length).toBeGreaterThan(2);
  for (const atMs of braked) expect(of('service').some((other) => Math.abs(other - atMs) <= 100)).toBe(true);
  expect(of('service').length).toBeLessThan(12);
});

it('I18: a write that the API server does not keep is contested by no one', () => {
  const brake = new HealingBrake();
  for (const nowMs of [0, 1_000, 3_000]) brake.corrected('service', nowMs, { field: 'spec.ports', by: 'server' });
  expect([brake.contested(), brake.dropped()]).toMatchObject([[], [{ key: 'service', field: 'spec.ports' }]]);
});
