import { expect, it } from 'vitest';
import { HealingBrake } from './healing-brake.ts';

it('the brake allows at most 20 corrections of one object in 10 minutes against a healer that reverts every second', () => {
  const brake = new HealingBrake();
  let corrections = 0;
  for (let nowMs = 0; nowMs <= 600_000; nowMs += 1000) {
    if (brake.waitMs('service', nowMs) > 0) continue;
    brake.corrected('service', nowMs, 'spec.selector', 'argocd');
    corrections += 1;
  }
  expect(corrections).toBeGreaterThan(5);
  expect(corrections).toBeLessThanOrEqual(20);
  expect(brake.contested()).toMatchObject([{ key: 'service', field: 'spec.selector', manager: 'argocd' }]);
});

it('the first correction is immediate, and alone does not count as contested', () => {
  const brake = new HealingBrake();
  expect(brake.waitMs('service', 0)).toBe(0);
  brake.corrected('service', 0, 'spec.selector');
  expect(brake.contested()).toEqual([]);
});

it('two objects that are contested at once are corrected in the same passes, so that a release sees both of them hold', () => {
  const brake = new HealingBrake();
  const together: number[] = [];
  for (let nowMs = 0; nowMs <= 120_000; nowMs += 500) {
    const drifted = nowMs < 1500 ? ['service'] : ['service', 'route'];
    const open = drifted.filter((key) => brake.waitMs(key, nowMs) === 0);
    for (const key of open) brake.corrected(key, nowMs, 'spec');
    if (open.length === 2) together.push(nowMs);
  }
  expect(together.length).toBeGreaterThan(3);
});
