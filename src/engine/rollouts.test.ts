import { describe, expect, it } from 'vitest';
import { at, steps } from '../../test/fakes/releasing.ts';
import { aCanary, initialized, type World } from '../../test/fakes/world.ts';
import { rolloutDeadlineMs } from './deadlines.ts';
import { explain } from './explain.ts';

/** Shorter than the progress deadline of a minute. */
const PAUSE_MS = 50_000;

/** The primary takes the promoted revision one pod at a time; all old pods still serve. */
function promoting(): World {
  const world = initialized(aCanary(steps));
  world.onRecord = ({ release }) => {
    if (release.step === 'awaitingPrimary') world.rolling.primary = { lastMs: world.nowMs, updated: 0 };
  };
  world.pushUntil('s1:b', at('Promoting', 'awaitingPrimary'));
  return world;
}

/** The canary's pods start one at a time. */
function scalingUp(): World {
  const world = initialized(aCanary(steps));
  world.rolling.target = { lastMs: world.nowMs, updated: 0 };
  world.push('s1:b');
  return world;
}

const waits = [
  { side: 'primary', step: 'awaitingPrimary', begin: promoting },
  { side: 'target', step: 'scalingUp', begin: scalingUp },
] as const;

describe.each(waits)('E100: $step of a rollout that takes longer than the progress deadline', ({ side, step, begin }) => {
  const comes = (world: World, updated: number) => {
    world.rolling[side] = { lastMs: world.nowMs, updated };
    world.sendFacts();
  };

  it('continues as long as another pod starts within each deadline, and is not recorded more often', () => {
    const world = begin();
    let records = 0;
    world.onRecord = () => {
      records += 1;
    };
    for (let updated = 1; updated < 6; updated += 1) {
      world.tick(PAUSE_MS);
      comes(world, updated);
      expect(world.step).toBe(step);
    }
    expect(records).toBe(0);
    world.rolling[side] = undefined;
    world.tickUntil(at('Succeeded', 'resting'));
  });

  it('fails when no further pod has started for the deadline, and not earlier', () => {
    const world = begin();
    for (const updated of [1, 2, 3]) {
      world.tick(PAUSE_MS);
      comes(world, updated);
    }
    const untilMs = world.nowMs + 60_000;
    expect(explain(world.canary, world.facts())).toContain(`at ${new Date(untilMs).toISOString().replace('.000', '')}`);
    world.tick(59_999);
    expect(world.step).toBe(step);
    world.tick(1);
    expect(world.phase).toBe('Failed');
    if (side === 'target') expect(world.release.reason).toContain('got no further pod for 60 s');
  });

  it('is woken at that moment, also if other events come', () => {
    const world = begin();
    world.tick(PAUSE_MS);
    comes(world, 1);
    const untilMs = world.nowMs + 60_000;
    world.tickUntil((one) => one.phase === 'Failed', 5);
    expect(world.nowMs).toBe(untilMs);
  });

  it('fails at the deadline when pods come and go without ever staying', () => {
    const world = begin();
    for (let seconds = 0; seconds < 59; seconds += 1) {
      world.tick(1_000);
      comes(world, 0);
      expect(world.step).toBe(step);
    }
    world.tick(1_000);
    expect(world.phase).toBe('Failed');
  });

  it('forgets nothing by a restart of the controller', () => {
    const world = begin();
    world.tick(PAUSE_MS);
    comes(world, 1);
    world.tick(PAUSE_MS);
    world.crash();
    world.sendFacts();
    expect(world.step).toBe(step);
    world.tick(10_000);
    expect(world.phase).toBe('Failed');
  });
});

describe('E100: the deadline of a rollout', () => {
  const canary = aCanary();
  const side = (progress?: { lastMs: number; updated: number }) => ({
    readiness: { state: 'waiting', ready: 0, wanted: 3 } as const,
    serving: true,
    replicas: 3,
    ...(progress && { progress }),
  });
  it.each([
    { what: 'a kind that reports nothing', progress: undefined, untilS: 60 },
    { what: 'progress of the rollout before', progress: { lastMs: -5_000, updated: 3 }, untilS: 60 },
    { what: 'one pod', progress: { lastMs: 40_000, updated: 1 }, untilS: 100 },
    { what: 'a clock that is ahead by hours', progress: { lastMs: 9e9, updated: 1 }, untilS: 120 },
    { what: 'nothing that stays', progress: { lastMs: 59_000, updated: 0 }, untilS: 60 },
  ])('$what: $untilS s', ({ progress, untilS }) => expect(rolloutDeadlineMs(canary, 0, side(progress))).toBe(untilS * 1000));
});
