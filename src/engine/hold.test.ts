import { describe, expect, it } from 'vitest';
import { aCanary, initialized, type World, withHooks } from '../../test/fakes/world.ts';
import type { Canary } from '../api/canary.ts';
import { timestamp } from '../base/timestamp.ts';
import { explain } from './explain.ts';

const outage = { check: 'errors', verdict: 'unmeasured', reason: 'Prometheus did not answer' } as const;
const DEADLINE_MS = 60_000;

/** Held at 20% since its first check. */
function held(analysis: Partial<Canary['spec']['analysis']> = {}): World {
  const world = initialized(aCanary({ stepWeight: 20, maxWeight: 40, unmeasured: 'hold', ...analysis }));
  world.pushUntil('s1:b', (one) => one.canary.status?.canaryWeight === 20);
  world.behaviour.verdicts = [outage];
  world.tick();
  return world;
}

const announced = (world: World, reason: string): string[] =>
  world.asked.flatMap((one) => (one.kind === 'announce' && one.announcement.reason === reason ? [one.announcement.message] : []));
const alerts = (world: World) => (world.release.deliveries ?? []).filter(({ kind }) => kind === 'alert');

describe('checks that cannot be measured, with unmeasured: hold', () => {
  it('E22a: state their start, their time limit and the result then, in the condition and in one event', () => {
    const world = held();
    const since = timestamp(world.nowMs);
    const until = timestamp(world.nowMs + DEADLINE_MS);
    world.tick();
    world.tick();
    for (const text of [explain(world.canary, world.facts()), world.canary.status?.conditions?.[0]?.message]) {
      expect(text).toMatch(
        /^Stays at 20%\. A check is unmeasured since .+ The release is rolled back at .+ if that lasts; ask the owner of the metrics to restore them/,
      );
      expect(text).toContain(`since ${since}`);
      expect(text).toContain(`rolled back at ${until}`);
    }
    const [message, ...more] = announced(world, 'Unmeasured');
    expect(message).toContain(`Holding since ${since}`);
    expect(message).toContain(`by ${until}, the release is rolled back`);
    expect([more, announced(world, 'CheckFailed')]).toEqual([[], []]);
  });

  it('E22a: at the progress deadline the release is rolled back without a failed check, and an alert says why', () => {
    const world = held();
    world.deliversAtOnce = false;
    const since = world.nowMs;
    world.tickUntil(({ phase }) => phase === 'Failed');
    expect([world.nowMs - since, world.release.failedChecks, world.promoted]).toEqual([DEADLINE_MS, 0, []]);
    const reason = `checks could not be measured for 60 s, since ${timestamp(since)}: errors is unmeasured: Prometheus did not answer`;
    expect(world.release.reason).toBe(reason);
    expect(alerts(world)).toEqual([
      expect.objectContaining({
        outcome: 'Failed',
        message: expect.stringContaining(reason),
        alert: expect.objectContaining({
          severity: 'error',
          fields: expect.arrayContaining([
            { name: 'Verdict', value: 'unmeasured' },
            { name: 'Cause', value: 'Prometheus did not answer' },
          ]),
        }),
      }),
    ]);
  });

  it('E22a: an interval longer than the deadline does not make it longer: it is measured once more then', () => {
    const world = held();
    const facts = world.facts.bind(world);
    world.facts = () => ({ ...facts(), intervalMs: 3_600_000 });
    world.behaviour.verdicts = [];
    world.tickUntil((one) => one.canary.status?.canaryWeight === 40);
    world.behaviour.verdicts = [outage];
    world.tick();
    const since = world.nowMs;
    world.tick();
    expect([world.nowMs - since, world.phase]).toEqual([DEADLINE_MS, 'Failed']);
  });

  it('E22a: one check that can be measured ends the hold, and the next outage has its full time', () => {
    const world = held();
    world.tick(40_000);
    world.behaviour.verdicts = [{ check: 'errors', verdict: 'failed', value: 9, limit: 'at most 1' }];
    world.tick();
    expect([world.release.failedChecks, world.release.blindSinceMs]).toEqual([1, undefined]);
    world.behaviour.verdicts = [outage];
    world.tick();
    world.tick(40_000);
    expect([world.phase, world.release.failedChecks]).toEqual(['Progressing', 1]);
  });

  it('E22a: time under a blocker or while suspended is not counted', () => {
    const world = held();
    world.behaviour.blocker = 'the quota';
    world.tick(300_000);
    delete world.behaviour.blocker;
    world.sendFacts();
    world.settle();
    expect(world.phase).toBe('Progressing');
    world.canary = { ...world.canary, spec: { ...world.canary.spec, suspend: true } };
    world.sendFacts();
    world.nowMs += 300_000;
    world.canary = { ...world.canary, spec: { ...world.canary.spec, suspend: false } };
    world.sendFacts();
    world.settle();
    expect([world.phase, world.release.failedChecks]).toEqual(['Progressing', 0]);
  });

  it('E22a: a restart forgets neither since when nor until when', () => {
    const world = held();
    const since = world.nowMs;
    world.nowMs += 50_000;
    world.crash();
    world.settle();
    expect([world.phase, world.release.blindSinceMs]).toEqual(['Progressing', since]);
    world.tickUntil(({ phase }) => phase === 'Failed');
    expect(world.nowMs - since).toBe(DEADLINE_MS);
  });

  it('E22a: waiting for a promotion to be confirmed is not an exception', () => {
    const world = initialized(aCanary({ stepWeight: 20, maxWeight: 20, unmeasured: 'hold', ...withHooks('confirm-promotion') }));
    world.behaviour.hooks['confirm-promotion'] = 'refused';
    world.pushUntil('s1:b', ({ phase }) => phase === 'WaitingPromotion');
    world.behaviour.verdicts = [outage];
    world.tick();
    expect(explain(world.canary, world.facts())).toMatch(/Waiting since .+ confirm-promotion hooks\. A check is unmeasured since/);
    world.tickUntil(({ phase }) => phase === 'Failed');
    expect(world.release.failedChecks).toBe(0);
  });

  it('E22a: a release that is rolled back or renewed knows nothing of the wait before', () => {
    const world = held();
    world.tickUntil(({ phase }) => phase === 'Failed');
    expect(world.release.blindSinceMs).toBeUndefined();
    const renewed = held();
    renewed.push('s1:c');
    expect(renewed.release.blindSinceMs).toBeUndefined();
  });
});
