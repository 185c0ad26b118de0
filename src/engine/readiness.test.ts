import { describe, expect, it } from 'vitest';
import { at, header, kubernetes, releasing, steps } from '../../test/fakes/releasing.ts';
import { aCanary, initialized, type World, withHooks } from '../../test/fakes/world.ts';
import { explain } from './explain.ts';

const where = ({ trace, release }: World) => [trace.at(-1), release.iterations];
/** The canary serves, with fewer pods than its threshold requires. */
const shorten = (world: World) => {
  world.room.target = 0;
  world.sendFacts();
};
const skip = (world: World, isOn: boolean) => {
  world.canary = { ...world.canary, spec: { ...world.canary.spec, skipAnalysis: isOn } };
};
const plans: { plan: string; analysis: object; prepare?: (world: World) => void }[] = [
  { plan: 'stepWeight', analysis: steps },
  { plan: 'mirror before weights', analysis: { ...steps, mirror: true } },
  { plan: 'A/B', analysis: { iterations: 2, match: header } },
  { plan: 'blue/green', analysis: { iterations: 2 } },
  { plan: 'blue/green over plain Services', analysis: { iterations: 2 }, prepare: kubernetes },
];

describe('a canary below canaryReadyThreshold', () => {
  it.each(plans)('E80, I13: $plan: takes no further step, is not promoted, and fails at the deadline', ({ analysis, prepare }) => {
    const moments = walk(analysis, prepare);
    expect(moments.length).toBeGreaterThan(1);
    for (const ticks of moments.keys()) {
      const world = walkTo(analysis, prepare, ticks);
      const before = where(world);
      shorten(world);
      for (let more = 0; more < 4; more += 1) world.tick(10_000);
      expect([where(world), world.promoted]).toEqual([before, []]);
      world.tickUntil(at('Failed', 'resting'));
      expect([world.promoted, world.release.reason]).toEqual([[], expect.stringContaining('not ready within 60 s')]);
    }
  });

  /** State of a release after each tick of its analysis. */
  function walk(analysis: object, prepare?: (world: World) => void) {
    const world = initialized(aCanary(analysis), prepare);
    world.push('s1:b');
    const moments: unknown[] = [];
    for (let ticks = 0; ticks < 20 && world.step !== 'analysing'; ticks += 1) world.tick();
    for (let ticks = 0; ticks < 20 && world.step === 'analysing'; ticks += 1) {
      moments.push(where(world));
      world.tick();
    }
    return moments;
  }

  function walkTo(analysis: object, prepare: ((world: World) => void) | undefined, ticks: number): World {
    const world = initialized(aCanary(analysis), prepare);
    world.pushUntil('s1:b', (one) => one.step === 'analysing');
    for (let passed = 0; passed < ticks; passed += 1) world.tick();
    return world;
  }

  it('E80, E27b: continues once it is ready, and a later fall without a fault of its pods has its own deadline', () => {
    const world = releasing({}, 20);
    world.watchPods();
    shorten(world);
    for (let ticks = 0; ticks < 4; ticks += 1) world.tick(10_000);
    world.room.target = 1;
    world.tick(10_000);
    expect([world.trace.at(-1), world.release.awaitedSinceMs]).toEqual(['Progressing 40', undefined]);
    shorten(world);
    for (let ticks = 0; ticks < 4; ticks += 1) world.tick(10_000);
    expect(world.phase).toBe('Progressing');
    world.tickUntil(at('Failed', 'resting'));
  });

  it('E80: is checked meanwhile, and rolled back if the checks fail', () => {
    const world = releasing({}, 20);
    shorten(world);
    world.behaviour.verdicts = [{ check: 'errors', verdict: 'failed' }];
    for (let ticks = 0; ticks < 3; ticks += 1) world.tick();
    expect([world.phase, world.release.failedChecks]).toEqual(['Failed', 3]);
  });

  it('E80, E24: a gate of promotion that opens does not promote it', () => {
    const world = initialized(aCanary({ ...steps, ...withHooks('confirm-promotion') }));
    world.behaviour.hooks['confirm-promotion'] = 'refused';
    world.pushUntil('s1:b', at('WaitingPromotion'));
    world.behaviour.hooks['confirm-promotion'] = 'passed';
    shorten(world);
    for (let ticks = 0; ticks < 4; ticks += 1) world.tick(10_000);
    expect([world.phase, world.promoted]).toEqual(['WaitingPromotion', []]);
    world.room.target = 1;
    world.tickUntil(at('Succeeded'));
  });

  it.each(['confirm-promotion', 'confirm-traffic-increase'] as const)('E80: nor one that falls while %s is asked', (gate) => {
    const world = initialized(aCanary({ ...steps, ...withHooks(gate) }));
    world.pushUntil('s1:b', (one) => one.canary.status?.canaryWeight === 40);
    world.nowMs += 10_000;
    world.send({ type: 'WAKE', facts: world.facts() });
    world.apply();
    world.answer();
    shorten(world);
    world.answer();
    expect([world.step, world.promoted]).toEqual(['analysing', []]);
  });

  it('E80, E8: a gate before the first traffic is not polled; the canary is scaled up again, with a deadline', () => {
    const world = initialized(aCanary({ ...steps, ...withHooks('pre-rollout', 'confirm-traffic-increase') }));
    world.behaviour.hooks['confirm-traffic-increase'] = 'refused';
    world.pushUntil('s1:b', at('Progressing', 'preRollout'));
    shorten(world);
    world.tick(10_000);
    expect(world.step).toBe('scalingUp');
    world.tickUntil(at('Failed', 'resting'));
    expect(world.promoted).toEqual([]);
  });

  it('E80, E1: a canary that falls below it while it settles is waited for until the deadline of the first wait', () => {
    const world = initialized(aCanary(steps));
    world.push('s1:b');
    expect(world.step).toBe('settling');
    const fromMs = world.nowMs;
    shorten(world);
    world.tickUntil(({ phase }) => phase === 'Failed', 10);
    expect([world.nowMs - fromMs, world.release.reason, world.promoted]).toEqual([60_000, expect.stringContaining('not ready within'), []]);
  });

  it.each([
    ['promote', (world: World) => world.ask('promote', 'p')],
    [
      'skipAnalysis, which is switched off again',
      (world: World) => {
        skip(world, true);
        world.settle();
        skip(world, false);
      },
    ],
  ])(
    'E80, I2: a canary that falls while the primary refuses a promotion by %s gets no traffic before its pre-rollout hooks pass',
    (_, promote) => {
      const world = initialized(aCanary({ ...steps, ...withHooks('pre-rollout') }));
      world.push('s1:b');
      world.behaviour.refusesPromote = true;
      world.behaviour.hooks['pre-rollout'] = 'refused';
      world.nowMs += 1;
      promote(world);
      expect([world.phase, world.step]).toEqual(['Promoting', 'writingPrimary']);
      shorten(world);
      world.tick(10_000);
      expect([world.phase, world.step]).toEqual(['Progressing', 'scalingUp']);
      world.room.target = 1;
      world.tickUntil(at('Failed', 'resting'));
      expect([world.trace.every((one) => !one.includes('20')), world.release.failedChecks, world.promoted]).toEqual([true, 3, []]);
    },
  );

  it('E80, E9: a blocker and a pause stop its deadline', () => {
    const world = releasing({}, 20);
    shorten(world);
    world.tick(10_000);
    world.behaviour.blocker = 'the CRD is missing';
    world.sendFacts();
    world.tick(120_000);
    delete world.behaviour.blocker;
    world.settle();
    world.ask('pause', 'p');
    world.tick(120_000);
    world.ask('resume', 'r');
    world.tick(10_000);
    expect(world.phase).toBe('Progressing');
    world.tickUntil(at('Failed', 'resting'));
  });

  it('E80: states the missing pods, the deadline, and the result then', () => {
    const world = releasing({}, 20);
    world.targetReplicas = 3;
    world.room.target = 2;
    world.tick(10_000);
    expect(explain(world.canary, world.facts())).toMatch(
      /^Stays at 20% since \S+Z: 2 of 3 canary pods are ready; canaryReadyThreshold is 100%\. The release is rolled back at \S+Z if they are not ready/,
    );
  });
});

describe('a primary that does not serve', () => {
  it.each(['settling', 'analysing'])(
    'E80: in %s the release does not move, and the sentence names the primary and the remedies',
    (step) => {
      const world = initialized(aCanary(steps));
      world.pushUntil('s1:b', (one) => one.step === step);
      world.primaryDown = true;
      world.sendFacts();
      world.tick();
      const { canaryWeight } = world.canary.status ?? {};
      for (let ticks = 0; ticks < 20; ticks += 1) world.tick();
      expect([world.step, world.canary.status?.canaryWeight]).toEqual([step, canaryWeight]);
      expect(explain(world.canary, world.facts())).toMatch(
        /Stays at \d+%: the primary does not serve.*\. Waiting for it without limit\. Fix its pods, or set spec\.skipAnalysis: true/,
      );
      world.primaryDown = false;
      world.sendFacts();
      world.tickUntil(({ phase }) => phase === 'Succeeded');
    },
  );

  it('E80, DF11: is written by a revision that skipAnalysis promotes', () => {
    const world = initialized(aCanary(steps));
    world.push('s1:b');
    world.primaryDown = true;
    world.sendFacts();
    for (let ticks = 0; ticks < 20; ticks += 1) world.tick();
    expect(world.primaryCarries).toBe('s1:a');
    skip(world, true);
    world.sendFacts();
    world.tickUntil((one) => one.primaryCarries === 's1:b');
  });
});
