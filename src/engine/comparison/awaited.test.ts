import { describe, expect, it } from 'vitest';
import { counting, releasing } from '../../../test/fakes/compared-release.ts';
import { withHooks } from '../../../test/fakes/world.ts';
import { timestamp } from '../../api/timestamp.ts';
import { explain } from '../explain.ts';
import { projectStatus } from '../project-status.ts';

const slow = { canary: 0.001, primary: 0.001, perSecond: 100 };
const gate = { mode: 'gate', pace: 'evidence', maxStepDuration: '10m' } as const;

function said(world: ReturnType<typeof releasing>) {
  const { status } = world.canary;
  if (!status?.release) throw new Error('nothing is recorded');
  return projectStatus(world.canary, status.phase, status.release, world.facts()).release;
}

describe('a step that waits for evidence', () => {
  it('D13: is blocked by the metric, until maxStepDuration has passed, and asks again at the next check', () => {
    const world = releasing(gate, slow);
    const untilMs = (world.release.weights?.at(-1)?.atMs ?? 0) + 600_000;
    expect(said(world)).not.toHaveProperty('blockers');
    for (let tick = 0; tick < 6; tick += 1) world.tick();
    const { blockers, dueMs } = said(world) ?? {};
    expect(blockers).toMatchObject([{ code: 'InsufficientEvidence', metric: 'errors', until: timestamp(untilMs) }]);
    expect(dueMs).toBe(world.release.wakeAtMs);
    expect(explain(world.canary, world.facts())).toMatch(
      new RegExp(
        `^Stays at 10 % until the comparison .* goes on without that at ${timestamp(untilMs)}, next at ${timestamp(dueMs ?? 0)} \\(`,
      ),
    );
    world.tickUntil((one) => one.canary.status?.canaryWeight === 20, 300);
    expect(said(world)).not.toHaveProperty('blockers');
  });

  it('D13: is blocked by a check that fails instead, once one does', () => {
    const world = releasing(gate, slow, { threshold: 50 });
    for (let tick = 0; tick < 6; tick += 1) world.tick();
    world.behaviour.verdicts = [{ check: 'orders', verdict: 'failed', reason: 'why' }];
    world.tickUntil(({ release }) => release.failedChecks > 0);
    expect(said(world)?.blockers).toMatchObject([{ code: 'CheckFailed' }]);
  });

  it('D13: has a next check while it waits for its promotion, too', () => {
    const world = releasing({ ...gate, maxStepDuration: '24h' }, slow, {
      stepWeight: 10,
      maxWeight: 10,
      ...withHooks('confirm-promotion'),
    });
    world.behaviour.hooks = { 'confirm-promotion': 'refused' };
    world.tickUntil(({ phase, step }) => phase === 'WaitingPromotion' && step === 'analysing', 2000);
    expect(said(world)).not.toHaveProperty('dueMs');
    counting(world, { canary: 0.0018, primary: 0.001, perSecond: 100 });
    world.tickUntil(({ release }) => release.awaitedEvidence !== undefined, 2000);
    expect(said(world)?.dueMs).toBe(world.release.wakeAtMs);
    expect(explain(world.canary, world.facts())).toContain(`, next at ${timestamp(said(world)?.dueMs ?? 0)}`);
  });
});
