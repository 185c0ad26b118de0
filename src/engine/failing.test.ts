import { describe, expect, it } from 'vitest';
import { at, steps } from '../../test/fakes/releasing.ts';
import { aCanary, initialized, type World, withHooks } from '../../test/fakes/world.ts';
import type { Analysis } from '../api/canary.ts';
import type { Release } from '../api/canary-status.ts';
import { parseStatus } from '../api/parse-status.ts';
import { dueMs } from './due.ts';
import { explain } from './explain.ts';
import { blockersOf } from './waits-of.ts';

const INTERVAL_MS = 10_000;
const DEADLINE_MS = 60_000;
const SECOND_MS = 1_000;

/** At 20% of the traffic, with its pods watched; the plan is longer than any of these releases. */
function releasing(analysis: Partial<Analysis> = {}, prepare: (world: World) => void = (world) => world.watchPods()): World {
  const world = initialized(aCanary({ stepWeights: Array.from({ length: 50 }, (_, index) => index + 20), ...analysis }), prepare);
  world.pushUntil('s1:b', (one) => one.canary.status?.canaryWeight === 20);
  return world;
}

/** Advances second by second, while the container ends after each `upMs` and starts again after `downMs`. Returns the milliseconds until the rollback. */
function crashLoop(world: World, { upMs, downMs }: { upMs: number; downMs: number }, mostMs = 600_000): number | undefined {
  const fromMs = world.nowMs;
  world.crashPods();
  for (let ms = 0; ms < mostMs; ms += SECOND_MS) {
    if (world.phase === 'Failed') return world.nowMs - fromMs;
    const inCycle = ms % (upMs + downMs);
    if (inCycle === downMs && world.targetDown) world.recoverPods();
    if (inCycle === 0 && ms > 0) world.crashPods();
    world.tick(SECOND_MS);
  }
  return undefined;
}

describe('E27a: a canary that was ready and fails', () => {
  // An interval is 10 s here and usually a minute: 40 s until an exit correspond to 7 s here.
  it.each([
    { what: 'one that exits after a quarter of an interval', upMs: 2_000, downMs: 2_000 },
    { what: 'one that exits after two thirds of it', upMs: 7_000, downMs: 2_000 },
    { what: 'one in back-off', upMs: 1_000, downMs: 20_000 },
    { what: 'readiness that flaps a third of the time', upMs: 4_000, downMs: 2_000 },
  ])('I20: $what is rolled back within threshold × interval of the first failure', ({ upMs, downMs }) => {
    const world = releasing();
    expect(crashLoop(world, { upMs, downMs })).toBeLessThanOrEqual(3 * INTERVAL_MS);
    expect([world.release.reason, world.release.failedChecks, world.primaryCarries]).toEqual([
      expect.stringMatching(/^3 failed checks, last: container app of pod podinfo-x exited with code 3/),
      3,
      's1:a',
    ]);
  });

  it.each([15_000, 40_000])(
    'I20: a container that crashes less often than it is checked, after %d ms, is rolled back by its third crash',
    (upMs) => {
      const world = releasing();
      expect(crashLoop(world, { upMs, downMs: 2_000 })).toBeLessThanOrEqual(2 * (upMs + 2_000) + INTERVAL_MS);
      expect(world.release.failedChecks).toBe(3);
    },
  );

  it('counts one failed check an interval, however often it fails', () => {
    const world = releasing({ threshold: 10 });
    for (let times = 0; times < 8; times += 1) {
      world.crashPods();
      world.recoverPods();
    }
    world.tickUntil((one) => one.release.failedChecks > 0);
    expect(world.release.failedChecks).toBe(1);
    const told = world.asked.flatMap((one) =>
      one.kind === 'announce' && one.announcement.reason === 'CheckFailed' ? one.announcement.message : [],
    );
    expect(told).toEqual(['Check failed (1 of 10): container app of pod podinfo-x exited with code 3, 8 times so far']);
    for (let ticks = 0; ticks < 3; ticks += 1) world.tick(INTERVAL_MS);
    expect(world.release.failedChecks).toBe(1);
  });

  it('takes no step in an interval in which a pod has crashed, though all checks pass', () => {
    const world = releasing();
    world.crashPods();
    world.recoverPods();
    world.tickUntil(at('Progressing', 'analysing'));
    world.tickUntil((one) => one.release.failedChecks === 1);
    expect(world.canary.status?.canaryWeight).toBe(20);
    world.tickUntil((one) => one.canary.status?.canaryWeight === 21);
  });

  it('an interval whose checks also fail counts once', () => {
    const world = releasing();
    world.behaviour.verdicts = [{ check: 'errors', verdict: 'failed' }];
    world.failing = { crashes: 1, lost: 0, unready: 0, last: { pod: 'podinfo-x' }, ends: { 'pod-1': 1 } };
    world.tick(INTERVAL_MS);
    expect([world.release.failedChecks, world.release.reason]).toEqual([
      1,
      expect.stringMatching(/pod podinfo-x lost its readiness; errors/),
    ]);
    world.tick(INTERVAL_MS);
    expect(world.release.failedChecks).toBe(2);
  });

  it('counts in each interval while the traffic is withdrawn, and rolls back at the threshold', () => {
    const world = releasing({ threshold: 4 });
    world.crashPods();
    const fromMs = world.nowMs;
    const counts: number[] = [];
    for (let ticks = 0; ticks < 5 && world.phase === 'Progressing'; ticks += 1) {
      world.tick(INTERVAL_MS);
      counts.push(world.release.failedChecks);
    }
    expect([counts, world.phase]).toEqual([[1, 2, 3, 4], 'Failed']);
    expect(world.nowMs - fromMs).toBeLessThanOrEqual(4 * INTERVAL_MS);
  });

  it('L5: while it is unavailable the sentence, the blocker and dueMs state the time of its rollback, which is correct', () => {
    const world = releasing({ threshold: 4 });
    world.crashPods();
    world.settle();
    const due = dueMs(world.canary, 'Progressing', world.release, world.facts()) ?? 0;
    expect(due - world.nowMs).toBeLessThanOrEqual(4 * INTERVAL_MS);
    expect(explain(world.canary, world.facts())).toContain(new Date(due).toISOString().replace('.000', ''));
    const [blocker] = blockersOf(world.canary, 'Progressing', world.release, world.facts());
    expect([blocker?.untilMs, blocker?.detail]).toEqual([
      due,
      expect.stringContaining('container app of pod podinfo-x exited with code 3'),
    ]);
    world.tickUntil(({ phase }) => phase === 'Failed');
    expect(world.nowMs).toBe(due);
  });

  it('E80: a canary that serves with too few pods by its own fault also fails checks', () => {
    const world = releasing();
    world.room.target = 0;
    world.failing = { crashes: 0, lost: 1, unready: 1, last: { pod: 'podinfo-x' }, ends: {} };
    for (let ticks = 0; ticks < 3; ticks += 1) world.tick(INTERVAL_MS);
    expect([world.phase, world.release.failedChecks]).toEqual(['Failed', 3]);
  });

  it.each(['pre-rollout', 'confirm-traffic-increase'] as const)('E8: counts while %s holds it, though no traffic has come', (type) => {
    const world = initialized(aCanary({ ...steps, ...withHooks(type) }), (one) => one.watchPods());
    world.behaviour.hooks[type] = type === 'pre-rollout' ? 'passed' : 'refused';
    world.pushUntil('s1:b', (one) => one.release.failing !== undefined);
    expect(crashLoop(world, { upMs: 8_000, downMs: 4_000 })).toBeLessThanOrEqual(4 * INTERVAL_MS);
  });

  it('E24: counts while confirm-promotion holds it at its last weight', () => {
    const world = initialized(aCanary({ ...steps, ...withHooks('confirm-promotion') }), (one) => one.watchPods());
    world.behaviour.hooks['confirm-promotion'] = 'refused';
    world.pushUntil('s1:b', at('WaitingPromotion'));
    expect(crashLoop(world, { upMs: 2_000, downMs: 2_000 })).toBeLessThanOrEqual(3 * INTERVAL_MS);
    expect(world.promoted).toEqual([]);
  });

  it('E1: crashes before it was ready once do not count: its start has a deadline', () => {
    const world = initialized(aCanary(steps), (one) => one.watchPods());
    world.targetDown = true;
    world.push('s1:b');
    for (let times = 0; times < 3; times += 1) {
      world.crashPods();
      world.tick(INTERVAL_MS);
    }
    world.recoverPods();
    world.tickUntil(({ phase }) => phase === 'Succeeded');
  });

  it('E50: a newer revision begins without the failures of the last one', () => {
    const world = releasing();
    world.crashPods();
    world.tick(INTERVAL_MS);
    world.watchPods();
    world.targetDown = false;
    world.push('s1:c');
    expect([world.release.failedChecks, world.release.failing?.crashes ?? 0]).toEqual([0, 0]);
  });
});

describe('E27a: failures that do not count', () => {
  it('does not count 20 drains and spot evictions with pauses, and the release succeeds', () => {
    const world = releasing({ stepWeights: [20, 40, 60] });
    for (let times = 0; times < 20; times += 1) {
      world.targetDown = true;
      world.sendFacts();
      world.tick(8_000);
      world.targetDown = false;
      world.sendFacts();
      world.tick(6_000);
    }
    expect([world.phase, world.release.failedChecks, world.release.failing?.unreadyMs]).toEqual(['Progressing', 0, 0]);
    world.tickUntil(({ phase }) => phase === 'Succeeded');
  });

  it('E27: a drained canary whose pods do not come back is rolled back at the deadline of that wait', () => {
    const world = releasing();
    world.targetDown = true;
    world.sendFacts();
    const fromMs = world.nowMs;
    world.tickUntil(({ phase }) => phase === 'Failed');
    expect([world.nowMs - fromMs, world.release.failedChecks]).toEqual([DEADLINE_MS, 0]);
  });

  it.each([
    ['E71: paused', (world: World) => world.ask('pause', 'p'), (world: World) => world.ask('resume', 'r')],
    [
      'E9: blocked',
      (world: World) => {
        world.behaviour.blocker = 'no';
        world.sendFacts();
      },
      (world: World) => {
        delete world.behaviour.blocker;
        world.settle();
      },
    ],
  ])('%s time does not count', (_, hold, release) => {
    const world = releasing({ threshold: 100 }, () => undefined);
    world.targetDown = true;
    world.sendFacts();
    world.tick(20_000);
    hold(world);
    world.tick(500_000);
    release(world);
    expect([world.phase, world.release.failedChecks]).toEqual(['Progressing', 0]);
    world.tick(20_000);
    expect(world.phase).toBe('Progressing');
    world.tick(21_000);
    expect(world.phase).toBe('Failed');
  });
});

it('E27b, E52: suspended time does not count', () => {
  const world = releasing({ threshold: 100 }, () => undefined);
  const suspend = (isOn: boolean) => {
    world.canary = { ...world.canary, spec: { ...world.canary.spec, suspend: isOn } };
    world.sendFacts();
  };
  world.room.target = 0;
  world.sendFacts();
  world.tick(5_000);
  suspend(true);
  world.tick(500_000);
  world.room.target = 1;
  suspend(false);
  world.settle();
  expect(world.release.failing?.unreadyMs).toBe(5_000);
});

describe('E27b: unready time adds up over the release', () => {
  it('I20: if its pods are not watched, unready time ends the release at the progress deadline', () => {
    const world = releasing({ threshold: 100 }, () => undefined);
    let downMs = 0;
    while (world.phase === 'Progressing' && downMs < 10 * DEADLINE_MS) {
      world.targetDown = true;
      world.sendFacts();
      world.tick(15_000);
      downMs += 15_000;
      world.targetDown = false;
      world.sendFacts();
      world.tick(6_000);
      world.tick(INTERVAL_MS);
    }
    expect([world.phase, downMs]).toEqual(['Failed', DEADLINE_MS]);
    expect(world.release.reason).toContain('was not ready for 60 s in all');
  });

  it('E80: time in which it serves with too few pods is included', () => {
    const world = releasing({ threshold: 100 }, () => undefined);
    for (const _ of [1, 2, 3]) {
      world.room.target = 0;
      world.sendFacts();
      world.tick(INTERVAL_MS);
      world.tick(INTERVAL_MS);
      world.room.target = 1;
      world.tick(INTERVAL_MS);
    }
    expect(world.phase).toBe('Failed');
  });
});

describe('E27a, E53: a controller that starts in the middle of a release', () => {
  it('counts failures that were not counted, and none twice', () => {
    const world = releasing({ threshold: 10 });
    world.crashPods();
    world.recoverPods();
    world.crash();
    world.settle();
    world.tickUntil((one) => one.release.failedChecks === 1);
    world.crash();
    world.settle();
    for (let ticks = 0; ticks < 4; ticks += 1) world.tick(INTERVAL_MS);
    expect(world.release.failedChecks).toBe(1);
  });

  it('continues from a status of an earlier version, which has no failures', () => {
    const world = releasing();
    const stored: { release: Partial<Release> } = JSON.parse(JSON.stringify(world.canary.status));
    delete stored.release.failing;
    const read = parseStatus(stored);
    if (read) world.canary = { ...world.canary, status: read };
    world.crash();
    world.settle();
    expect(crashLoop(world, { upMs: 15_000, downMs: 5_000 })).toBeLessThan(100_000);
  });
});
