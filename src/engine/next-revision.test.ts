import { expect, it } from 'vitest';
import { aCanary, initialized, type World, withHooks } from '../../test/fakes/world.ts';
import type { Verdict } from '../api/canary-status.ts';

const steps = { stepWeight: 20, maxWeight: 40 };
const failed: Verdict = { check: 'errors', verdict: 'failed', value: 9, limit: 'at most 1' };

function failing(analysis = {}, spec = {}): World {
  const world = initialized(aCanary({ ...steps, ...analysis }, spec));
  world.push('s1:b');
  world.behaviour.verdicts = [failed];
  return world;
}
const drains = (phase: string) => (world: World) => world.phase === phase && world.step === 'draining';

it('E50a: a fix pushed while a failed release drains starts at once, with the present pods', () => {
  const world = failing();
  world.tickUntil(drains('Failed'));
  const replicas: number[] = [];
  world.watch = (_, { targetReplicas }) => replicas.push(targetReplicas);
  world.behaviour.verdicts = [];
  world.push('s1:c');
  expect([world.phase, world.release.revision, world.release.failedChecks]).toEqual(['Progressing', 's1:c', 0]);
  expect(world.release).not.toHaveProperty('othersUntilMs');
  world.tickUntil((one) => one.canary.status?.canaryWeight === 40);
  expect(replicas).not.toContain(0);
  expect([...world.listed].map((key) => key.split('/').slice(2, 4).join(' '))).toContain('s1:b Failed');
});

it('E50a: a revision pushed while a cancelled release drains also starts at once', () => {
  const world = initialized(aCanary(steps));
  world.pushUntil('s1:b', (one) => one.canary.status?.canaryWeight === 20);
  world.push('s1:a');
  expect(drains('Succeeded')(world)).toBe(true);
  world.push('s1:c');
  expect([world.phase, world.release.revision]).toEqual(['Progressing', 's1:c']);
});

it('E50a: with a confirm-rollout gate it waits until the Canary is resting, since nothing needs the pods before', () => {
  const world = failing(withHooks('confirm-rollout'));
  world.tickUntil(drains('Failed'));
  world.push('s1:c');
  expect(drains('Failed')(world)).toBe(true);
  world.behaviour.verdicts = [];
  world.tickUntil((one) => one.phase === 'Succeeded');
  expect(world.promoted).toEqual(['s1:c']);
});

it('E50: after a promotion it waits, so that Succeeded is seen', () => {
  const world = initialized(aCanary(steps));
  world.pushUntil('s1:b', drains('Finalising'));
  world.push('s1:c');
  expect(drains('Finalising')(world)).toBe(true);
  world.tickUntil((one) => one.release.revision === 's1:c');
  expect(world.trace).toContain('Succeeded 0');
});

it('E50a: it waits until all traffic is on the primary', () => {
  const world = failing();
  world.tickUntil((one) => one.release.failedChecks === 2);
  world.primaryDown = true;
  world.tickUntil((one) => one.phase === 'Failed');
  world.push('s1:c');
  expect([world.phase, world.step]).toEqual(['Failed', 'returningTraffic']);
});

it('D7: pods with which the next revision is analysed are not stopped between the two', () => {
  const world = initialized(aCanary(steps));
  world.pushUntil('s1:b', drains('Finalising'));
  const replicas: number[] = [];
  world.watch = (_, { targetReplicas }) => replicas.push(targetReplicas);
  world.pushUntil('s1:c', (one) => one.release.revision === 's1:c' && one.canary.status?.canaryWeight === 40);
  expect(world.trace).toContain('Succeeded 0');
  expect(replicas).not.toContain(0);
});
