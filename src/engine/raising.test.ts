import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { snapshotIn } from '../../test/fakes/stalled-release.ts';
import { aCanary, initialized, World, withHooks } from '../../test/fakes/world.ts';
import type { Canary } from '../api/canary.ts';
import type { Release, Verdict } from '../api/canary-status.ts';
import { whyOf } from '../reading/why/diagnose.ts';
import { capacityNeeded, hasCapacity } from './capacity.ts';
import { explain } from './explain.ts';
import { weightOf } from './strategy.ts';

const steps = { stepWeight: 50, maxWeight: 50 };
const failed: Verdict = { check: 'errors', verdict: 'failed', value: 9, limit: 'at most 1' };
const header = [{ headers: { user: { exact: 'a' } } }];
const limits = { min: 1, max: 20 };

/** A primary that serves with ten pods, and scalers on both sides. */
function scaled(analysis: Partial<Canary['spec']['analysis']> = steps, spec: Partial<Canary['spec']> = {}): World {
  const world = initialized(aCanary(analysis, spec), (one) => {
    one.scaler = { name: 'HorizontalPodAutoscaler/podinfo', target: limits, primary: limits };
  });
  world.primaryReplicas = 10;
  world.sendFacts();
  return world;
}

/** A release at 50% after the scalers have had their time: five pods on each side. */
function halfway(analysis: Partial<Canary['spec']['analysis']> = steps): World {
  const world = scaled(analysis);
  world.pushUntil('s1:b', (one) => one.canary.status?.canaryWeight === 50);
  Object.assign(world, { primaryReplicas: 5, targetReplicas: 5 });
  world.sendFacts();
  return world;
}

const isAt = (phase: string, step: string) => (world: World) => world.phase === phase && world.step === step;
const weightNow = (world: World) => world.canary.status?.canaryWeight;

describe('before promotion returns traffic', () => {
  it('E61: the primary is scaled up to the pods that carry the load, and has them for the delay before it gets any traffic', () => {
    const world = halfway();
    world.room.primary = 7;
    world.tickUntil(isAt('Promoting', 'raising'));
    expect(world.release.capacity).toEqual({ side: 'primary', pods: 10, had: 5 });
    expect([world.primaryReplicas, weightNow(world)]).toEqual([10, 50]);
    expect(explain(world.canary, world.facts())).toContain('7 of 10 pods are ready');
    world.room.primary = 10;
    world.sendFacts();
    expect(weightNow(world)).toBe(50);
    world.tick(4_999);
    expect(weightNow(world)).toBe(50);
    world.tick(1);
    expect([world.phase, weightNow(world)]).toEqual(['Finalising', 0]);
  });

  it('D8: traffic that moves in steps leaves the primary scaled up, also when the canary has lost pods with it', () => {
    const world = halfway({ ...steps, stepWeightPromotion: 20 });
    world.tickUntil(isAt('Promoting', 'shifting'));
    const raised = world.release.capacity;
    expect([weightNow(world), raised]).toEqual([30, { side: 'primary', pods: 10, had: 5, reachedMs: expect.any(Number) }]);
    Object.assign(world, { targetReplicas: 2 });
    world.tick();
    expect([weightNow(world), world.release.capacity]).toEqual([10, raised]);
    world.tick();
    expect([world.phase, weightNow(world), world.desired.atLeast]).toEqual(['Finalising', 0, { primary: 10 }]);
  });

  it('D8: the scaled-up pods are held until the release has ended, also over a crash', () => {
    const world = halfway();
    world.tickUntil(isAt('Promoting', 'raising'));
    world.crash();
    expect(world.desired.atLeast).toEqual({ primary: 10 });
    world.tickUntil(isAt('Finalising', 'draining'));
    expect(world.desired.atLeast).toEqual({ primary: 10 });
    world.tickUntil(isAt('Succeeded', 'resting'));
    expect([world.desired.atLeast, world.release.capacity]).toEqual([{}, undefined]);
  });

  it('E61: at the progress deadline it continues with the present pods, since those were enough until now', () => {
    const world = halfway();
    world.room.primary = 7;
    world.tickUntil(isAt('Promoting', 'raising'));
    world.tick(59_999);
    expect(isAt('Promoting', 'raising')(world)).toBe(true);
    world.tick(1);
    expect([world.phase, weightNow(world)]).toEqual(['Finalising', 0]);
    world.tickUntil(isAt('Succeeded', 'resting'));
  });

  it('E61: a primary that becomes worse than it was before the raise is a failed promotion', () => {
    const world = halfway();
    world.room.primary = 7;
    world.tickUntil(isAt('Promoting', 'raising'));
    world.room.primary = 4;
    world.tick(60_000);
    expect([world.phase, world.step]).toEqual(['Failed', expect.any(String)]);
    expect(world.desired.atLeast, 'the canary gets everything, so it is raised').toEqual({ target: 9 });
  });

  it('E60: a canary that falls while the promoted primary is awaited leaves it all traffic at once, and the pods for it', () => {
    const world = halfway();
    world.behaviour.brokenPrimary.add('s1:b');
    world.tickUntil(isAt('Promoting', 'awaitingPrimary'));
    world.behaviour.brokenPrimary.clear();
    Object.assign(world, { targetDown: true, auto: false });
    world.sendFacts();
    expect([weightNow(world), world.release.capacity, world.desired.atLeast]).toEqual([0, { side: 'primary', pods: 10 }, { primary: 10 }]);
  });

  it('E61: pods of the previous revision are not evidence: only a complete promotion is scaled up', () => {
    const world = halfway();
    world.behaviour.brokenPrimary.add('s1:b');
    world.tickUntil(isAt('Promoting', 'awaitingPrimary'));
    world.tick(59_000);
    expect(world.release.capacity).toBeUndefined();
    world.tick(1_000);
    expect(world.phase).toBe('Failed');
  });

  it('E61: capacity that is lost while proxies learn of it is waited for again', () => {
    const world = halfway();
    world.tickUntil(isAt('Promoting', 'raising'));
    expect(world.release.capacity?.reachedMs).toBe(world.nowMs);
    world.room.primary = 8;
    world.tick(5_000);
    expect([world.release.capacity?.reachedMs, weightNow(world)]).toEqual([undefined, 50]);
    world.room.primary = 10;
    world.tick(1_000);
    world.tick(5_000);
    expect(weightNow(world)).toBe(0);
  });

  it('E60: a primary that its scaler has not shrunk yet is held at its pods, and gets its traffic at once', () => {
    const world = halfway();
    world.primaryReplicas = 10;
    const seen: string[] = [];
    world.onRecord = ({ release }) => seen.push(release.step);
    world.tickUntil((one) => one.phase === 'Finalising');
    expect(seen).not.toContain('raising');
    expect(world.release.capacity).toMatchObject({ side: 'primary', pods: 10 });
  });

  it('E60: never above the maximum of its scaler', () => {
    const world = halfway();
    world.scaler = { name: 'HorizontalPodAutoscaler/podinfo', target: limits, primary: { min: 1, max: 8 } };
    world.tickUntil(isAt('Promoting', 'raising'));
    expect([world.release.capacity?.pods, world.primaryReplicas]).toEqual([8, 8]);
  });

  it('E60: without a scaler nothing has shrunk the primary, and nothing is scaled up', () => {
    const world = halfway();
    world.scaler = undefined;
    world.tickUntil(isAt('Succeeded', 'resting'));
    expect(world.primaryReplicas).toBe(5);
  });

  it('E42: with skipAnalysis the primary has all the load already, and nothing is scaled up', () => {
    const world = scaled(steps, { skipAnalysis: true });
    world.pushUntil('s1:b', isAt('Succeeded', 'resting'));
    expect([world.primaryReplicas, world.promoted]).toEqual([10, ['s1:b']]);
  });
});

describe('when a release is rolled back', () => {
  const takenBack = (): World => {
    const world = halfway({ ...steps, threshold: 1 });
    world.room.primary = 5;
    world.behaviour.verdicts = [failed];
    world.tickUntil((one) => one.phase === 'Failed');
    return world;
  };

  it('E31: the primary is scaled up at once and gets its traffic back as its pods become ready', () => {
    const world = takenBack();
    expect([world.desired.atLeast, weightNow(world)]).toEqual([{ primary: 10 }, 50]);
    world.room.primary = 7;
    world.sendFacts();
    world.settle();
    expect(weightNow(world)).toBe(30);
    world.room.primary = 8;
    world.sendFacts();
    world.settle();
    expect(weightNow(world)).toBe(20);
    world.room.primary = 10;
    world.sendFacts();
    world.settle();
    expect(weightNow(world)).toBe(0);
  });

  it('E31: it waits no longer than one interval, with any capacity', () => {
    const world = takenBack();
    world.tick(9_999);
    expect(weightNow(world)).toBe(50);
    world.tick(1);
    expect(weightNow(world)).toBe(0);
  });

  it('E31: it does not wait if the canary does not serve', () => {
    const world = halfway({ ...steps, threshold: 1 });
    world.targetDown = true;
    world.sendFacts();
    expect([weightNow(world), world.desired.atLeast]).toEqual([0, { primary: 10 }]);
  });

  it('D8: the minimum is kept while its pods drain and removed when the release has ended', () => {
    const world = takenBack();
    world.room.primary = 10;
    world.tickUntil(isAt('Failed', 'draining'));
    expect(world.desired.atLeast).toEqual({ primary: 10 });
    world.tickUntil(isAt('Failed', 'resting'));
    expect(world.desired.atLeast).toEqual({});
  });

  it('E51: a cancelled release waits for the same capacity', () => {
    const world = halfway();
    world.room.primary = 5;
    world.push('s1:a');
    expect([world.phase, weightNow(world), world.desired.atLeast]).toEqual(['Succeeded', 50, { primary: 10 }]);
    world.room.primary = 10;
    world.sendFacts();
    world.settle();
    expect(weightNow(world)).toBe(0);
  });

  it('E50: a newer revision routes all traffic to the primary at once, since its pods are not judged, and the primary is scaled up', () => {
    const world = halfway();
    world.room.primary = 5;
    world.push('s1:c');
    expect([weightNow(world), world.desired.atLeast]).toEqual([0, { primary: 10 }]);
  });

  it('E44: after a failed promotion the primary, which its scaler has shrunk, is scaled up before it gets its traffic back', () => {
    const world = halfway();
    world.behaviour.brokenPrimary.add('s1:b');
    world.onRecord = ({ release }) => {
      if (release.step === 'servingFromCanary') {
        expect(release.capacity).toEqual({ side: 'target', pods: 10 });
        Object.assign(world, { primaryReplicas: 1, room: { primary: 3, target: 10 } });
      }
    };
    world.tickUntil(isAt('Failed', 'returningTraffic'));
    expect([weightNow(world), world.desired.atLeast, world.targetReplicas]).toEqual([70, { primary: 10 }, 10]);
    world.room.primary = 10;
    world.sendFacts();
    world.settle();
    expect(weightNow(world)).toBe(0);
  });
});

describe('before a step', () => {
  it.each([
    { plan: 'a weight', analysis: { stepWeights: [30] }, raised: 3 },
    { plan: 'a match, whose share is unknown', analysis: { iterations: 2, match: header }, raised: 10 },
    { plan: 'a mirror', analysis: { ...steps, mirror: true, mirrorWeight: 20 }, raised: 2 },
  ])('E62: $plan scales the canary up to $raised of 10 pods before its first step', ({ analysis, raised }) => {
    const world = scaled(analysis);
    world.room.target = 1;
    world.pushUntil('s1:b', isAt('Progressing', 'raising'));
    expect([world.targetReplicas, world.release.routes]).toEqual([raised, { kind: 'weighted', canary: 0 }]);
    expect(explain(world.canary, world.facts())).toContain(`1 of ${raised} pods are ready`);
    world.room.target = raised;
    world.tick(1_000);
    expect(world.step).toBe('raising');
    world.tick(5_000);
    expect([world.step, world.desired]).toMatchObject(['analysing', { atLeast: {}, targetMinimum: raised }]);
  });

  it('E101: the scaler of the target keeps the pods of the last step until the release is over, with any events in between', () => {
    const world = scaled({ stepWeights: [30, 50], ...withHooks('confirm-promotion') });
    const minima = new Set<number | undefined>();
    const at = new Map<string, number | undefined>();
    world.watch = ({ targetMinimum }, { phase, step }) => {
      minima.add(targetMinimum);
      at.set(`${phase}.${step}`, targetMinimum);
    };
    world.behaviour.hooks['confirm-promotion'] = 'refused';
    world.pushUntil('s1:b', (one) => one.phase === 'WaitingPromotion');
    expect(world.desired.targetMinimum).toBe(5);
    world.crash();
    world.tick(600_000);
    expect(world.desired.targetMinimum).toBe(5);
    world.behaviour.hooks['confirm-promotion'] = 'passed';
    world.tickUntil(isAt('Succeeded', 'resting'));
    expect([at.get('Promoting.writingPrimary'), at.get('Finalising.draining')], 'proxies learn of routes late').toEqual([5, 5]);
    expect([world.desired.targetMinimum, world.release.heldPods]).toEqual([undefined, undefined]);
    expect([...minima]).toEqual([undefined, 3, 5]);
  });

  it.each([
    { end: 'a rollback', act: (world: World) => Object.assign(world.behaviour, { verdicts: [failed] }) },
    { end: 'a cancelled release', act: (world: World) => world.push('s1:a') },
    { end: 'a failed promotion', act: (world: World) => world.behaviour.brokenPrimary.add('s1:b') },
  ])('E101: $end restores the minimum', ({ act }) => {
    const world = scaled({ stepWeights: [30, 50], threshold: 1 });
    world.pushUntil('s1:b', (one) => weightNow(one) === 30);
    expect(world.desired.targetMinimum).toBe(3);
    act(world);
    world.tickUntil((one) => one.step === 'resting');
    expect([world.desired.targetMinimum, world.release.heldPods]).toEqual([undefined, undefined]);
  });

  it('E101: a newer revision begins without the minimum of the previous one', () => {
    const world = scaled({ stepWeights: [30, 50] });
    world.pushUntil('s1:b', (one) => weightNow(one) === 30);
    world.push('s1:c');
    expect([world.release.revision, world.desired.targetMinimum]).toEqual(['s1:c', undefined]);
  });

  describe('E102: a scaler that gives fewer pods than requested', () => {
    const held = () => {
      const world = scaled({ stepWeights: [30, 50] });
      world.scalerGives = 1;
      world.pushUntil('s1:b', isAt('Progressing', 'raising'));
      return world;
    };

    it('holds a step for half the deadline, at most a minute, and the step is taken with the given pods', () => {
      const world = held();
      world.tick(29_999);
      expect(world.step).toBe('raising');
      world.tick(1);
      expect([world.step, weightNow(world), world.desired]).toMatchObject(['analysing', 30, { atLeast: {}, targetMinimum: 1 }]);
      world.tickUntil(isAt('Succeeded', 'resting'));
      expect(world.promoted).toEqual(['s1:b']);
    });

    it('does not hold longer if nothing else happens: the step is woken', () => {
      const world = held();
      const fromMs = world.nowMs;
      world.tick();
      expect([weightNow(world), world.nowMs - fromMs]).toEqual([30, 30_000]);
    });

    it('gives a canary that was unavailable its weight again', () => {
      const world = halfway();
      world.targetDown = true;
      world.sendFacts();
      world.settle();
      Object.assign(world, { primaryReplicas: 10, targetReplicas: 1, scalerGives: 1, targetDown: false });
      world.sendFacts();
      world.settle();
      expect([world.step, weightNow(world)]).toEqual(['canaryUnavailable', 0]);
      const fromMs = world.nowMs;
      world.tickUntil((one) => weightNow(one) === 50, 5);
      expect(world.nowMs - fromMs, 'half the deadline, and the pause before traffic').toBe(35_000);
    });

    it.each([
      ['takes its pods away while it comes back, it has its share all the same', false, 'Progressing', 50],
      ['leaves them, but they are below their threshold, it fails at the deadline', true, 'Failed', 0],
    ] as const)('%s', (_, isShort, phase, weight) => {
      const world = halfway();
      world.targetDown = true;
      world.sendFacts();
      world.settle();
      world.targetDown = false;
      world.sendFacts();
      world.settle();
      expect(world.step).toBe('canaryRecovered');
      if (isShort) world.room.target = 4;
      else Object.assign(world, { primaryReplicas: 10, targetReplicas: 1, scalerGives: 1 });
      world.sendFacts();
      world.settle();
      const fromMs = world.nowMs;
      world.tickUntil(({ step }) => step !== 'canaryRecovered', 6);
      expect([world.phase, weightNow(world), world.nowMs - fromMs <= 60_000]).toEqual([phase, weight, true]);
    });

    it('is not a scaler whose new pods do not become ready', () => {
      const world = scaled({ stepWeights: [30, 50] });
      world.room.target = 1;
      world.pushUntil('s1:b', isAt('Progressing', 'raising'));
      world.tick(59_999);
      expect(world.step).toBe('raising');
      world.tick(1);
      expect(world.phase).toBe('Failed');
    });
  });

  it('E62: Blue/Green scales it up before the switch, and not earlier', () => {
    const world = scaled({ iterations: 2 });
    world.room.target = 1;
    world.pushUntil('s1:b', (one) => one.canary.status?.iterations === 2);
    expect(world.targetReplicas).toBe(1);
    world.tickUntil(isAt('Progressing', 'raising'));
    expect([world.targetReplicas, weightNow(world)]).toEqual([10, 0]);
    world.room.target = 10;
    world.sendFacts();
    world.tickUntil((one) => weightNow(one) === 100);
    world.tickUntil(isAt('Succeeded', 'resting'));
  });

  it('E16, E62: the gate of a switch is not called again after the wait', () => {
    const world = scaled({ iterations: 1, ...withHooks('confirm-promotion') });
    world.pushUntil('s1:b', (one) => weightNow(one) === 100);
    expect(world.asked.filter((one) => one.kind === 'runHooks')).toHaveLength(1);
  });

  it('E62: without the capacity at the progress deadline the release is rolled back with that reason', () => {
    const world = scaled({ iterations: 1 });
    world.push('s1:b');
    world.room.target = 4;
    world.tickUntil(isAt('Progressing', 'raising'));
    world.tick(60_000);
    expect([world.phase, world.release.reason]).toEqual([
      'Failed',
      'the canary did not get the 10 pods that its next step needs within 60 s: 4 are ready',
    ]);
  });

  it('E27: a canary that dies while it is scaled up is waited for as any other', () => {
    const world = scaled({ stepWeights: [30] });
    world.room.target = 1;
    world.pushUntil('s1:b', isAt('Progressing', 'raising'));
    world.targetDown = true;
    world.sendFacts();
    expect([world.step, world.release.capacity]).toEqual(['scalingUp', undefined]);
    Object.assign(world, { targetDown: false, room: { primary: 10, target: 10 } });
    world.tickUntil((one) => weightNow(one) === 30);
  });

  it('E27: a canary that its scaler has shrunk while it was unavailable is scaled up before it gets its weight again', () => {
    const world = halfway();
    world.targetDown = true;
    world.sendFacts();
    world.settle();
    Object.assign(world, { primaryReplicas: 10, targetReplicas: 1, targetDown: false });
    world.room.target = 4;
    world.sendFacts();
    world.settle();
    expect([world.step, world.targetReplicas, weightNow(world)]).toEqual(['canaryUnavailable', 5, 0]);
    world.room.target = 5;
    world.sendFacts();
    expect(world.step).toBe('canaryRecovered');
    world.tick(5_000);
    expect([world.step, weightNow(world), world.release.capacity]).toEqual(['analysing', 50, undefined]);
  });

  it('E62: after a crash in the middle it continues from there', () => {
    const world = scaled({ stepWeights: [30] });
    world.room.target = 1;
    world.pushUntil('s1:b', isAt('Progressing', 'raising'));
    world.crash();
    expect([world.step, world.desired.atLeast]).toEqual(['raising', { target: 3 }]);
    world.room.target = 3;
    world.sendFacts();
    world.tickUntil((one) => weightNow(one) === 30);
  });
});

describe('bootstrap', () => {
  it('E60: the primary gets the load of the target only with as many pods', () => {
    const world = new World(aCanary(steps));
    world.scaler = { name: 'HorizontalPodAutoscaler/podinfo', target: limits, primary: limits };
    world.targetReplicas = 8;
    world.room.primary = 3;
    world.begin();
    expect([world.step, world.primaryReplicas, world.apexOnPrimary]).toEqual(['creatingPrimary', 8, false]);
    world.targetReplicas = 9;
    world.sendFacts();
    world.settle();
    world.room.primary = 9;
    world.tickUntil((one) => one.phase === 'Initialized');
    expect([world.primaryReplicas, world.apexOnPrimary, world.desired.atLeast]).toEqual([9, true, {}]);
  });
});

/** The side that gains traffic has the pods for it: a second implementation of the rule. */
function bears(world: World, before: Release, after: Release): boolean {
  const { primary, target, nowMs } = world.facts();
  const { routes, capacity, stepStartedMs } = before;
  const [was, is] = [weightOf(routes), weightOf(after.routes)];
  if (is > was) {
    // The decision before the raise counts: the added pods say nothing about the load.
    const load = { primary, target, routes, atStart: before.podsAtStart };
    const isRaised = capacity?.side === 'target' && (before.step === 'raising' || before.step === 'canaryUnavailable');
    const needed = isRaised ? capacity.pods : capacityNeeded(load, is, limits);
    // E102: the scaler does not give these pods.
    const isGivenLess = isRaised && (target?.replicas ?? 0) < needed && nowMs >= (before.awaitedSinceMs ?? stepStartedMs) + 30_000;
    return isGivenLess || hasCapacity(target, needed);
  }
  const isAlone = target?.serving !== true;
  const isUnjudged = after.revision !== before.revision && after.run > before.run;
  const isLongEnough = nowMs >= stepStartedMs + (before.step === 'raising' ? 60_000 : 10_000);
  const pods = capacity?.side === 'primary' ? capacity.pods : (after.capacity?.pods ?? 0);
  const share = Math.ceil((pods * (100 - is)) / 100);
  return is === was || isAlone || isUnjudged || isLongEnough || hasCapacity(primary, Math.min(share, limits.max));
}

it('E60: in any order of events, no record gives a side more than its pods can carry, except for the exceptions of the rule', () => {
  const acts: Record<string, (world: World) => void> = {
    go: (world) => world.tick(),
    wait: (world) => world.tick(3_000),
    crash: (world) => world.crash(),
    shrinkPrimary: (world) => Object.assign(world, { primaryReplicas: Math.max(world.desired.atLeast.primary ?? 1, 2) }),
    growPrimary: (world) => Object.assign(world, { primaryReplicas: 12 }),
    shrinkTarget: (world) => Object.assign(world, { targetReplicas: Math.min(world.targetReplicas, 1) }),
    growTarget: (world) => Object.assign(world, { targetReplicas: world.targetReplicas * 3 }),
    fill: (world) => Object.assign(world, { room: { primary: 6, target: 3 } }),
    empty: (world) => Object.assign(world, { room: { primary: 100, target: 100 } }),
    fail: (world) => Object.assign(world.behaviour, { verdicts: [failed] }),
    pass: (world) => Object.assign(world.behaviour, { verdicts: [] }),
    fall: (world) => Object.assign(world, { targetDown: !world.targetDown }),
    push: (world) => world.push(world.targetRevision === 's1:b' ? 's1:c' : 's1:b'),
    revert: (world) => world.push(world.release.promotedRevision ?? 's1:a'),
  };
  const often = ['go', 'go', 'go', 'wait', 'empty', 'pass'];
  const plans = [{ stepWeights: [20, 60], stepWeightPromotion: 30 }, { iterations: 1 }, steps];
  fc.assert(
    fc.property(
      fc.constantFrom(...plans),
      fc.array(fc.constantFrom(...often, ...Object.keys(acts)), { minLength: 10, maxLength: 40, size: 'max' }),
      (plan, names) => {
        const world = scaled({ ...plan, threshold: 1 });
        world.onRecord = ({ phase, release }) => {
          const before = world.canary.status?.release;
          const isFailedPromotion = phase === 'Failed' && weightOf(release.routes) === 100;
          if (before && !isFailedPromotion) expect(bears(world, before, release), `${phase}.${release.step}`).toBe(true);
        };
        world.push('s1:b');
        for (const name of names) {
          acts[name]?.(world);
          world.sendFacts();
        }
      },
    ),
    { numRuns: 60, seed: 11 },
  );
});

it('the scaler of the primary is remembered once it exists', () => {
  const world = scaled();
  expect(world.canary.status?.release?.scaler).toBe('HorizontalPodAutoscaler/podinfo');
  world.scaler = { name: 'ScaledObject/podinfo', target: limits, primary: limits };
  world.converged = false;
  world.sendFacts();
  expect(world.canary.status?.release?.scaler).toBe('HorizontalPodAutoscaler/podinfo');
  world.settle();
  expect(world.canary.status?.release?.scaler).toBe('ScaledObject/podinfo');
});

describe('a step whose pods are ready', () => {
  const reached = (): World => {
    const world = scaled();
    world.pushUntil('s1:b', ({ step, release }) => step === 'raising' && release.capacity?.reachedMs !== undefined);
    return world;
  };

  it('E62: names no lack of capacity where only its routes are not in force', () => {
    const world = reached();
    world.behaviour.unconfirmed = 'HTTPRoute podinfo is not accepted';
    world.sendFacts();
    const sentence = explain(world.canary, world.facts());
    expect(sentence).toContain('for the next step, whose pods are ready');
    expect(sentence).not.toContain('add capacity');
  });

  it('E62: waits for the proxies, and threatens no rollback', () => {
    const world = reached();
    const sentence = explain(world.canary, world.facts());
    expect(sentence).toMatch(
      /^Waiting since \S+ for the proxies to learn of the pods of the next step: 5 of 5 pods are ready, and the proxies know them at \S+Z\.$/,
    );
    expect(world.canary.status?.release?.blockers).toBeUndefined();
    expect(world.canary.status?.release?.dueMs).toBe((world.release.capacity?.reachedMs ?? 0) + 5_000);
  });

  it('has the cause Propagating in serin why, and not a lack of capacity', () => {
    expect(whyOf(snapshotIn({ world: reached() })).diagnosis).toMatchObject({ cause: 'Propagating' });
  });
});
