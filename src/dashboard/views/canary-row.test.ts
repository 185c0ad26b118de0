import { expect, it } from 'vitest';
import { snapshotIn } from '../../../test/fakes/stalled-release.ts';
import { aCanary, initialized } from '../../../test/fakes/world.ts';
import { iterationText } from '../page/iteration-text.ts';
import { canaryRow } from './canary-row.ts';

it('the page shows iterations of Blue/Green instead of a bar at 0, and a bar again once the canary has all traffic', () => {
  const world = initialized(aCanary({ iterations: 2 }));
  const shown = () => iterationText(canaryRow(snapshotIn({ world }).raw));
  world.pushUntil('s1:b', ({ release }) => release.iterations === 1);
  expect(shown()).toBe('iteration 1 of 2');
  world.tickUntil(({ canary }) => canary.status?.canaryWeight === 100);
  expect(shown()).toBeUndefined();
});
