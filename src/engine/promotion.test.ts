import { describe, expect, it } from 'vitest';
import { at, kubernetes, releasing, steps } from '../../test/fakes/releasing.ts';
import { aCanary, initialized, type World, withHooks } from '../../test/fakes/world.ts';

describe('promotion', () => {
  const promoting = (spec = {}) => {
    const world = initialized(aCanary(steps, spec));
    world.behaviour.brokenPrimary.add('s1:b');
    world.pushUntil('s1:b', at('Promoting', 'awaitingPrimary'));
    return world;
  };

  it('E44: a failed promotion serves from the canary, restores the primary, then returns (I4)', () => {
    const world = promoting();
    world.auto = false;
    world.tick(60_000);
    expect([world.phase, world.canary.status?.canaryWeight]).toEqual(['Failed', 100]);
    world.auto = true;
    world.tickUntil(at('Failed', 'resting'));
    expect([world.primaryCarries, world.targetReplicas, world.routes]).toMatchObject(['s1:a', 0, { canary: 0 }]);
  });

  it('E110: the cause of a failed promotion stays in the condition while the primary is restored and afterwards', () => {
    const world = promoting();
    const said = () => world.canary.status?.conditions?.[0]?.message;
    world.auto = false;
    world.tick(60_000);
    const cause = world.release.reason ?? '';
    expect(cause).toMatch(/^the primary could not take the promoted revision: /);
    world.auto = true;
    world.tickUntil(at('Failed', 'resting'));
    expect(said()).toContain(cause);
  });

  it('E44: a fix pushed during a failed promotion waits and is then released', () => {
    const world = promoting();
    world.behaviour.stalls = true;
    world.targetRevision = 's1:c';
    world.tickUntil(at('Succeeded'));
    expect([world.promoted, world.primaryCarries]).toEqual([['s1:b', 's1:c'], 's1:c']);
  });

  it('E44: a provider without weights reports the true weight', () => {
    const world = initialized(aCanary({ iterations: 1 }), kubernetes);
    world.behaviour.brokenPrimary.add('s1:b');
    world.pushUntil('s1:b', at('Promoting', 'awaitingPrimary'));
    world.tick(60_000);
    expect([world.phase, world.canary.status?.canaryWeight]).toEqual(['Failed', 0]);
  });

  it('E40: a crash between write and record writes the primary once', () => {
    const world = initialized(aCanary(steps));
    world.push('s1:b');
    world.auto = false;
    world.tickUntil((one) => {
      one.apply();
      return one.asked.some((question) => question.kind === 'promote');
    });
    world.primaryCarries = 's1:b';
    world.promoted.length = 0;
    world.crash();
    world.auto = true;
    world.tickUntil(at('Succeeded'));
    expect(world.promoted).toEqual([]);
  });

  it('E41: a target that changed before the write restarts the analysis', () => {
    const world = initialized(aCanary({ ...steps, ...withHooks('confirm-promotion') }));
    world.push('s1:b');
    world.behaviour.refusesPromote = true;
    world.tickUntil(at('Promoting', 'writingPrimary'));
    world.behaviour.refusesPromote = false;
    world.targetRevision = 's1:c';
    world.tick();
    expect([world.phase, world.release.revision, world.promoted]).toEqual(['Progressing', 's1:c', []]);
    world.tickUntil(at('Succeeded'));
    expect(world.promoted).toEqual(['s1:c']);
  });

  it('E43: stepped promotion that finds weight 0 completes', () => {
    const world = initialized(aCanary({ ...steps, stepWeightPromotion: 10 }));
    world.pushUntil('s1:b', at('Promoting', 'shifting'));
    const { status } = world.canary;
    if (!status?.release) throw new Error('no release');
    world.canary = {
      ...world.canary,
      status: { ...status, release: { ...status.release, routes: { ...status.release.routes, kind: 'weighted', canary: 0 as never } } },
    };
    world.crash();
    world.tickUntil(at('Succeeded'));
    expect(world.phase).toBe('Succeeded');
  });
});

it('E44: a primary that falls while the pods of the canary drain fails the promotion at the deadline, and the canary serves', () => {
  const world = releasing();
  world.tickUntil(at('Finalising', 'draining'));
  world.behaviour.brokenPrimary.add('s1:b');
  world.sendFacts();
  const fromMs = world.nowMs;
  world.tickUntil(({ phase }) => phase === 'Failed', 5);
  expect([world.trace.includes('Failed 100'), world.primaryCarries, world.nowMs - fromMs]).toEqual([true, 's1:a', 60_000]);
});

it('E5: a primary that recovers while they drain ends the drain at once', () => {
  const world = releasing();
  world.tickUntil(at('Finalising', 'draining'));
  world.primaryDown = true;
  world.sendFacts();
  world.tick();
  world.tick(1);
  expect([world.phase, world.step]).toEqual(['Finalising', 'draining']);
  world.primaryDown = false;
  world.sendFacts();
  expect([world.phase, world.step]).toEqual(['Succeeded', 'resting']);
});

it('E43: traffic goes to the promoted primary by stepWeightPromotion, one step an interval', () => {
  const world = initialized(aCanary({ stepWeight: 50, maxWeight: 50, stepWeightPromotion: 20 }));
  world.push('s1:b');
  const weights: number[] = [];
  world.onRecord = ({ phase, release: { routes } }) => {
    const weight = routes.kind === 'weighted' ? routes.canary : 0;
    if ((phase === 'Promoting' || phase === 'Finalising') && weight !== weights.at(-1)) weights.push(weight);
  };
  world.tickUntil(({ phase, step }) => phase === 'Succeeded' && step === 'resting');
  expect(weights).toEqual([50, 30, 10, 0]);
});

it('E5, L12: pods that have lost their traffic are kept for the whole scale-down delay, also if the Canary is woken earlier', () => {
  const world = initialized(aCanary({ stepWeight: 50 }));
  world.pushUntil('s1:b', ({ phase, step }) => phase === 'Finalising' && step === 'draining');
  for (const ms of [2_500, 2_499]) {
    world.tick(ms);
    expect(world.step).toBe('draining');
  }
  world.tick(1);
  expect([world.phase, world.step]).toEqual(['Succeeded', 'resting']);
});

it('E5, E9: pods that a blocker has kept while they drained stop after the delay once it is removed, and not at the progress deadline', () => {
  const world = initialized(aCanary({ stepWeight: 50 }));
  world.pushUntil('s1:b', ({ phase, step }) => phase === 'Finalising' && step === 'draining');
  world.behaviour.blocker = 'a quota';
  world.tick(20_000);
  delete world.behaviour.blocker;
  world.sendFacts();
  world.settle();
  const fromMs = world.nowMs;
  world.tick();
  expect([world.phase, world.step, world.nowMs - fromMs]).toEqual(['Succeeded', 'resting', 5_000]);
});

describe('E53: a canary that loses its pods while an answer is pending', () => {
  const lost = (world: World): World => {
    world.targetDown = true;
    world.answer();
    return world;
  };
  const promoting = () => {
    const world = releasing();
    world.request = { verb: 'promote', id: 'p', by: 'ann', atMs: world.nowMs + 1 };
    world.sendFacts();
    expect([world.phase, world.step]).toEqual(['Promoting', 'writingPrimary']);
    return world;
  };

  it('E40, I5: the answer to the write counts, and traffic is routed to the primary in the same step', () => {
    const world = lost(promoting());
    expect([world.step, world.release.routes]).toMatchObject(['awaitingPrimary', { canary: 0 }]);
    world.tickUntil(at('Succeeded', 'resting'));
    expect(world.primaryCarries).toBe('s1:b');
  });

  it('E40: a refused write is retried', () => {
    const world = promoting();
    world.behaviour.refusesPromote = true;
    lost(world);
    world.behaviour.refusesPromote = false;
    world.targetDown = false;
    world.tickUntil(at('Succeeded', 'resting'));
    expect(world.promoted).toEqual(['s1:b']);
  });

  it('E41: a target that has changed by then restarts the analysis', () => {
    const world = promoting();
    world.targetRevision = 's1:c';
    expect([lost(world).phase, world.release.revision]).toEqual(['Progressing', 's1:c']);
  });

  it('E44: a refused restore of the primary is retried, and traffic is routed to the primary in the same step', () => {
    const world = initialized(aCanary(steps));
    world.behaviour.brokenPrimary.add('s1:b');
    world.pushUntil('s1:b', at('Promoting', 'awaitingPrimary'));
    world.auto = false;
    world.tick(60_000);
    world.auto = true;
    world.apply();
    world.sendFacts();
    expect([world.phase, world.step]).toEqual(['Failed', 'restoringPrimary']);
    world.behaviour.brokenPrimary.clear();
    world.behaviour.refusesPromote = true;
    expect(lost(world).release.routes).toMatchObject({ canary: 0 });
    world.behaviour.refusesPromote = false;
    world.tickUntil(at('Failed', 'resting'));
    expect(world.primaryCarries).toBe('s1:a');
  });
});
