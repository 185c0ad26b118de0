import { describe, expect, it } from 'vitest';
import { aCanary, initialized, World, withHooks } from '../../test/build/world.ts';
import { weight } from '../api/routes.ts';
import { explain } from './explain.ts';
import { isAtRest, openQuestionOf, start, step } from './machine.ts';
import { projectStatus } from './project-status.ts';

const steps = { stepWeight: 20, maxWeight: 40 };
const kubernetes = (world: World) => {
  world.supports = { weights: false, mirroring: false, headerMatch: false, sessionAffinity: false };
};
const none = () => undefined;
const end = ['Finalising 0', 'Succeeded 0'];
const at = (phase: string, name?: string) => (world: World) => world.phase === phase && (name === undefined || world.step === name);
const header = [{ headers: { user: { exact: 'a' } } }];

function releasing(analysis = {}, weightNow = 20): World {
  const world = initialized(aCanary({ ...steps, ...analysis }));
  world.push('s1:b');
  world.tickUntil((one) => one.canary.status?.canaryWeight === weightNow);
  return world;
}

describe('the sequence of each strategy', () => {
  const cases: { plan: string; analysis: object; prepare: (world: World) => void; spec?: object; trace: string[] }[] = [
    {
      plan: 'stepWeight',
      analysis: steps,
      prepare: none,
      trace: ['Progressing 0', 'Progressing 20', 'Progressing 40', 'Promoting 40', ...end],
    },
    {
      plan: 'stepWeights with stepWeightPromotion',
      analysis: { stepWeights: [5, 50], stepWeightPromotion: 30 },
      prepare: none,
      trace: ['Progressing 0', 'Progressing 5', 'Progressing 50', 'Promoting 50', 'Promoting 20', ...end],
    },
    {
      plan: 'mirror before weights',
      analysis: { ...steps, mirror: true },
      prepare: none,
      trace: ['Progressing 0', 'Progressing mirrored', 'Progressing 20', 'Progressing 40', 'Promoting 40', ...end],
    },
    {
      plan: 'A/B',
      analysis: { iterations: 2, match: header },
      prepare: none,
      trace: ['Progressing 0', 'Progressing matched #1', 'Progressing matched #2', 'Promoting matched #2', ...end],
    },
    {
      plan: 'blue/green',
      analysis: { iterations: 2 },
      prepare: none,
      trace: ['Progressing 0', 'Progressing 0 #1', 'Progressing 0 #2', 'Progressing 100 #3', 'Promoting 100 #3', ...end],
    },
    {
      plan: 'blue/green with mirror',
      analysis: { iterations: 2, mirror: true },
      prepare: none,
      trace: ['Progressing 0', 'Progressing mirrored #1', 'Progressing mirrored #2', 'Progressing 100 #3', 'Promoting 100 #3', ...end],
    },
    {
      plan: 'a provider without weights counts iterations',
      analysis: { iterations: 2, stepWeight: 10 },
      prepare: kubernetes,
      trace: ['Progressing 0', 'Progressing 0 #1', 'Progressing 0 #2', 'Promoting 0 #2', ...end],
    },
    {
      plan: 'A/B where the provider cannot match keeps users on the primary (15.1.39)',
      analysis: { iterations: 1, match: header },
      prepare: (world) => {
        world.supports.headerMatch = false;
      },
      trace: ['Progressing 0', 'Progressing 0 #1', 'Promoting 0 #1', ...end],
    },
    { plan: 'skipAnalysis', analysis: steps, prepare: none, spec: { skipAnalysis: true }, trace: ['Promoting 0', ...end] },
  ];
  it.each(cases)('E10: $plan', ({ analysis, prepare, spec, trace }) => {
    const world = initialized(aCanary(analysis, spec), prepare);
    world.push('s1:b');
    world.tickUntil(at('Succeeded'));
    expect(world.trace).toEqual(trace);
    expect(world.promoted).toEqual(['s1:b']);
    expect(world.canary.status).toMatchObject({ phase: 'Succeeded', lastPromotedSpec: 's1:b', canaryWeight: 0, iterations: 0 });
    expect([world.targetReplicas, isAtRest(world.snapshot)]).toEqual([0, true]);
  });

  it('E13: a provider without weights and without iterations counts to ten', () => {
    const world = initialized(aCanary({ stepWeight: 10 }), kubernetes);
    world.push('s1:b');
    world.tickUntil(at('Succeeded'));
    expect(world.trace).toContain('Progressing 0 #10');
  });
});

describe('bootstrap', () => {
  it('E4: never takes traffic before the primary is ready and never rolls back (15.1.3, 03-B33, L1, W50, I5)', () => {
    const world = new World();
    world.behaviour.brokenPrimary.add('s1:a');
    world.behaviour.stalls = true;
    world.begin();
    world.tick(61_000);
    world.tick(600_000);
    expect([world.phase, world.apexOnPrimary, world.targetReplicas]).toEqual(['Initializing', false, 1]);
    expect(world.asked.filter((one) => one.kind === 'announce' && one.announcement.reason === 'PrimaryLate')).toHaveLength(1);
    world.behaviour.brokenPrimary.clear();
    world.tickUntil(at('Initialized'));
    expect([world.apexOnPrimary, world.targetReplicas]).toEqual([true, 0]);
  });

  it('E6a: traffic moves only when the proxies have had the same delay to learn of the primary', () => {
    const world = new World().begin();
    expect([world.step, world.intent.apexOnPrimary]).toEqual(['settling', false]);
    world.tick(4_999);
    expect(world.step).toBe('settling');
    world.tick(1);
    expect([world.step, world.intent.apexOnPrimary]).toEqual(['draining', true]);
  });

  it('E5: keeps the target for the scale-down delay after the routes moved', () => {
    const world = new World().begin();
    world.tick(5_000);
    expect([world.step, world.targetReplicas]).toEqual(['draining', 1]);
    world.tick(4_999);
    expect([world.step, world.targetReplicas]).toEqual(['draining', 1]);
    world.tick(1);
    expect([world.phase, world.targetReplicas]).toEqual(['Initialized', 0]);
  });
});

describe('gates', () => {
  it('E7: a closed confirm-rollout waits without scaling up and starts when it opens', () => {
    const world = initialized(aCanary({ ...steps, ...withHooks('confirm-rollout') }));
    world.behaviour.hooks['confirm-rollout'] = 'refused';
    world.push('s1:b');
    world.tick();
    expect([world.phase, world.targetReplicas]).toEqual(['Waiting', 0]);
    world.behaviour.hooks['confirm-rollout'] = 'passed';
    world.tick();
    expect(world.phase).toBe('Progressing');
  });

  it('E7: polling a closed gate writes no status', () => {
    const world = initialized(aCanary({ ...steps, ...withHooks('confirm-rollout') }));
    world.behaviour.hooks['confirm-rollout'] = 'refused';
    world.push('s1:b');
    const before = world.asked.filter((one) => one.kind === 'record').length;
    for (let polls = 0; polls < 5; polls += 1) world.tick();
    expect(world.asked.filter((one) => one.kind === 'record')).toHaveLength(before);
  });

  it('E7: a return to the promoted revision while waiting ends the wait', () => {
    const world = initialized(aCanary({ ...steps, ...withHooks('confirm-rollout') }));
    world.behaviour.hooks['confirm-rollout'] = 'refused';
    world.push('s1:b');
    world.push('s1:a');
    expect([world.phase, world.step, world.release.revision]).toEqual(['Succeeded', 'resting', 's1:a']);
  });

  it('E24: a closed confirm-promotion keeps checking and polls every interval with the true weight (15.2.27)', () => {
    const world = initialized(aCanary({ ...steps, ...withHooks('confirm-promotion') }));
    world.behaviour.hooks['confirm-promotion'] = 'refused';
    world.push('s1:b');
    world.tickUntil(at('WaitingPromotion'));
    const asked = () => world.asked.filter((one) => one.kind === 'runHooks' && one.type === 'confirm-promotion').length;
    const before = asked();
    for (let polls = 0; polls < 3; polls += 1) world.tick();
    expect([asked() - before, world.canary.status?.canaryWeight]).toEqual([3, 40]);
    world.behaviour.verdicts = [{ check: 'errors', verdict: 'failed' }];
    world.tickUntil(at('Failed', 'resting'));
    expect(world.promoted).toEqual([]);
  });

  it('E16: blue/green asks confirm-promotion once, before live traffic moves (15.2.27)', () => {
    const world = initialized(aCanary({ iterations: 1, ...withHooks('confirm-promotion') }));
    world.push('s1:b');
    world.tickUntil(at('Succeeded'));
    expect(world.asked.filter((one) => one.kind === 'runHooks' && one.type === 'confirm-promotion')).toHaveLength(1);
  });

  it('E23: a closed confirm-traffic-increase holds the weight and counts nothing', () => {
    const world = initialized(aCanary({ ...steps, ...withHooks('confirm-traffic-increase') }));
    world.behaviour.hooks['confirm-traffic-increase'] = 'refused';
    world.push('s1:b');
    for (let polls = 0; polls < 4; polls += 1) world.tick();
    expect([world.phase, world.canary.status?.canaryWeight, world.release.failedChecks]).toEqual(['Progressing', 0, 0]);
    world.behaviour.hooks['confirm-traffic-increase'] = 'passed';
    world.tickUntil(at('Succeeded'));
    expect(world.promoted).toEqual(['s1:b']);
  });

  it('E8: refused pre-rollout hooks count and take the release back before any traffic (I2)', () => {
    const world = initialized(aCanary({ ...steps, ...withHooks('pre-rollout') }));
    world.behaviour.hooks['pre-rollout'] = 'refused';
    world.push('s1:b');
    world.tickUntil(at('Failed', 'resting'));
    expect([world.trace.every((one) => !one.includes('20')), world.release.failedChecks]).toEqual([true, 3]);
  });

  it('E25: a rollback hook that answers yes takes the release back', () => {
    const world = releasing(withHooks('rollback'));
    world.behaviour.hooks.rollback = 'passed';
    world.tick();
    expect([world.phase, world.routes]).toMatchObject(['Failed', { canary: 0 }]);
  });
});

describe('failure', () => {
  it('E21: the threshold takes the release back at once, not an interval later (15.1.8)', () => {
    const world = releasing({ threshold: 1 });
    world.behaviour.verdicts = [{ check: 'errors', verdict: 'failed', value: 9 }];
    const before = world.wakeAtMs;
    world.tick();
    expect([world.phase, world.nowMs]).toEqual(['Failed', before]);
    expect(world.canary.status?.conditions?.[0]?.message).toContain('errors is 9');
  });

  it('E30: a failed release is recorded before anything acts, with traffic and message together (15.1.5, 15.4.36, 03-L7)', () => {
    const world = releasing({ threshold: 1 });
    world.behaviour.verdicts = [{ check: 'errors', verdict: 'failed' }];
    world.auto = false;
    world.tick();
    world.crash();
    expect([world.phase, world.canary.status?.release?.routes]).toMatchObject(['Failed', { canary: 0 }]);
    expect(world.routes).toMatchObject({ canary: 20 });
    world.auto = true;
    world.settle();
    expect(world.routes).toMatchObject({ canary: 0 });
  });

  it('E31: a primary that does not serve keeps traffic where it can be served until it does (I5)', () => {
    const world = releasing({ threshold: 1 });
    world.primaryDown = true;
    world.behaviour.verdicts = [{ check: 'errors', verdict: 'failed' }];
    world.tick();
    expect([world.phase, world.routes]).toMatchObject(['Failed', { canary: 20 }]);
    world.primaryDown = false;
    world.settle();
    expect(world.routes).toMatchObject({ canary: 0 });
  });

  it('E6: a stalled canary fails at once and a late one at the progress deadline', () => {
    const world = initialized(aCanary(steps));
    world.behaviour.brokenCanary.add('s1:b').add('s1:c');
    world.push('s1:b');
    world.tick(59_000);
    expect(world.phase).toBe('Progressing');
    world.tick(1_000);
    expect(world.phase).toBe('Failed');
    world.tickUntil(at('Failed', 'resting'));
    world.behaviour.stalls = true;
    world.push('s1:c');
    expect(world.phase).toBe('Failed');
  });

  it('E9: an obstacle only a person can remove never fails a release', () => {
    const world = initialized(aCanary(steps));
    world.behaviour.obstacle = 'CRD virtualservices is missing';
    world.push('s1:b');
    world.tick(600_000);
    expect(world.phase).toBe('Progressing');
    expect(explain(world.canary, world.facts())).toContain('virtualservices');
    delete world.behaviour.obstacle;
    world.tickUntil(at('Succeeded'));
    expect(world.promoted).toEqual(['s1:b']);
  });

  describe('routes that the provider does not confirm', () => {
    const unconfirmed = (analysis = {}) => {
      const world = releasing(analysis, 20);
      world.behaviour.unconfirmed = 'edge says Accepted False';
      return world;
    };

    it('E63: a passed check takes no step, and the condition says why; when they are confirmed the release goes on', () => {
      const world = unconfirmed();
      for (let ticks = 0; ticks < 5; ticks += 1) world.tick();
      expect([world.phase, world.canary.status?.canaryWeight]).toEqual(['Progressing', 20]);
      expect(world.asked.some(({ kind }) => kind === 'measure')).toBe(true);
      expect(explain(world.canary, world.facts())).toContain('Not in force yet: edge says Accepted False');
      delete world.behaviour.unconfirmed;
      world.tickUntil(at('Succeeded', 'resting'));
    });

    it('E63: failed checks take the release back all the same (04 R-S4)', () => {
      const world = unconfirmed();
      world.behaviour.verdicts = [{ check: 'errors', verdict: 'failed' }];
      world.tickUntil(at('Failed'));
      expect(world.routes).toMatchObject({ kind: 'weighted', canary: 0 });
    });

    it('E63: a rollback hook is asked all the same', () => {
      const world = unconfirmed(withHooks('rollback'));
      world.behaviour.hooks.rollback = 'passed';
      world.tickUntil(at('Failed'));
    });

    it('E63: no release starts', () => {
      const world = initialized(aCanary(steps));
      world.behaviour.unconfirmed = 'edge says Accepted False';
      world.push('s1:b');
      world.tick(60_000);
      expect([world.phase, world.routes]).toMatchObject(['Progressing', { canary: 0 }]);
      expect(world.canary.status?.release?.failedChecks).toBe(0);
    });
  });

  it('E27: a canary without pods gets nothing, keeps its step and counters, and goes on when it is back', () => {
    const world = releasing({}, 20);
    world.targetDown = true;
    world.settle();
    expect([world.step, world.routes, world.canary.status?.canaryWeight]).toMatchObject(['heldBack', { canary: 0 }, 0]);
    world.targetDown = false;
    world.settle();
    expect([world.step, world.routes], 'E6a: proxies do not know of its pods yet').toMatchObject(['comingBack', { canary: 0 }]);
    world.tickUntil(at('Progressing', 'analysing'));
    expect(world.routes).toMatchObject({ canary: 20 });
    world.tickUntil(at('Succeeded'));
    expect(world.promoted).toEqual(['s1:b']);
  });

  it('E27: a canary that stays without pods fails at the progress deadline', () => {
    const world = releasing();
    world.targetDown = true;
    world.settle();
    world.tick(60_000);
    expect(world.phase).toBe('Failed');
  });

  it('E22: with unmeasured: hold nothing advances and nothing fails (I11)', () => {
    const world = releasing({ unmeasured: 'hold' });
    world.behaviour.verdicts = [{ check: 'errors', verdict: 'unmeasured', reason: 'connection refused' }];
    for (let ticks = 0; ticks < 5; ticks += 1) world.tick();
    expect([world.phase, world.canary.status?.canaryWeight, world.release.failedChecks]).toEqual(['Progressing', 20, 0]);
    world.behaviour.verdicts = [];
    world.tickUntil(at('Succeeded'));
    expect(world.promoted).toEqual(['s1:b']);
  });
});

describe('promotion', () => {
  const promoting = (spec = {}) => {
    const world = initialized(aCanary(steps, spec));
    world.behaviour.brokenPrimary.add('s1:b');
    world.push('s1:b');
    world.tickUntil(at('Promoting', 'awaitingPrimary'));
    return world;
  };

  it('E44: a failed promotion serves from the canary, restores the primary, then returns (15.1.1, 03-L8, I4)', () => {
    const world = promoting();
    world.auto = false;
    world.tick(60_000);
    expect([world.phase, world.canary.status?.canaryWeight]).toEqual(['Failed', 100]);
    world.auto = true;
    world.tickUntil(at('Failed', 'resting'));
    expect([world.primaryCarries, world.targetReplicas, world.routes]).toMatchObject(['s1:a', 0, { canary: 0 }]);
  });

  it('E44: a fix pushed during a failed promotion waits and is then released (15.1.1)', () => {
    const world = promoting();
    world.behaviour.stalls = true;
    world.targetRevision = 's1:c';
    world.tickUntil(at('Succeeded'));
    expect([world.promoted, world.primaryCarries]).toEqual([['s1:b', 's1:c'], 's1:c']);
  });

  it('E44: a provider without weights reports the true weight (15.1.14)', () => {
    const world = initialized(aCanary({ iterations: 1 }), kubernetes);
    world.behaviour.brokenPrimary.add('s1:b');
    world.push('s1:b');
    world.tickUntil(at('Promoting', 'awaitingPrimary'));
    world.tick(60_000);
    expect([world.phase, world.canary.status?.canaryWeight]).toEqual(['Failed', 0]);
  });

  it('E40: a crash between write and record writes the primary once (15.1.6)', () => {
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

  it('E41: a target that changed before the write restarts the analysis (15.1.9, 03-B4)', () => {
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

  it('E43: stepped promotion that finds weight 0 completes (15.1.7)', () => {
    const world = initialized(aCanary({ ...steps, stepWeightPromotion: 10 }));
    world.push('s1:b');
    world.tickUntil(at('Promoting', 'shifting'));
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

  it('E42: skipAnalysis waits for the primary to be ready (03-B15, L9)', () => {
    const world = initialized(aCanary(steps, { skipAnalysis: true }));
    world.primaryDown = true;
    world.push('s1:b');
    world.tick(30_000);
    expect([world.phase, world.step]).toEqual(['Promoting', 'awaitingPrimary']);
    world.primaryDown = false;
    world.tickUntil(at('Succeeded'));
    expect(world.promoted).toEqual(['s1:b']);
  });

  it('E42: skipAnalysis switched on during a release promotes it', () => {
    const world = releasing();
    world.canary = { ...world.canary, spec: { ...world.canary.spec, skipAnalysis: true } };
    world.tickUntil(at('Succeeded'));
    expect([world.promoted, world.trace.slice(1, 3)]).toEqual([['s1:b'], ['Progressing 20', 'Promoting 20']]);
  });
});

describe('revisions', () => {
  it('E50: a newer revision supersedes, restarts at 0 and asks no confirm-rollout again (03-H6)', () => {
    const world = releasing(withHooks('confirm-rollout'));
    const asked = () => world.asked.filter((one) => one.kind === 'runHooks' && one.type === 'confirm-rollout').length;
    const before = asked();
    world.push('s1:c');
    expect([...world.listed].some((key) => key.includes('s1:b/superseded'))).toBe(true);
    expect([asked(), world.release.revision, world.release.failedChecks]).toEqual([before, 's1:c', 0]);
  });

  it('E51: the target back at the promoted revision cancels the release (15.1.10, 03-B5, H4)', () => {
    const world = releasing();
    world.push('s1:a');
    expect([world.phase, world.routes]).toMatchObject(['Succeeded', { canary: 0 }]);
    world.tickUntil(at('Succeeded', 'resting'));
    const ends = [...world.listed].filter((key) => key.includes('s1:b') && !key.includes('NewRevision'));
    expect(ends).toEqual(['c-1/1/s1:b/cancelled/event']);
    expect([world.targetReplicas, world.promoted]).toEqual([0, []]);
  });

  it('E50: a revision pushed during Promoting waits and is then released (15.1.9)', () => {
    const world = initialized(aCanary(steps));
    world.push('s1:b');
    world.tickUntil(at('Finalising'));
    world.targetRevision = 's1:c';
    world.tickUntil((one) => one.release.promotedRevision === 's1:c');
    expect(world.promoted).toEqual(['s1:b', 's1:c']);
  });

  it('E2: a broken primary at rest does not lose or fail a pushed fix (15.1.2, 15.1.37, 03-B3, W49)', () => {
    const world = initialized(aCanary(steps));
    world.primaryDown = true;
    world.push('s1:b');
    world.tick();
    expect([world.phase, world.release.revision]).toEqual(['Progressing', 's1:b']);
  });

  it('E12: stepWeights edited during a run go on with the next greater element (15.1.16)', () => {
    const world = releasing({ stepWeight: undefined, stepWeights: [20, 60] }, 20);
    world.canary = {
      ...world.canary,
      spec: { ...world.canary.spec, analysis: { ...world.canary.spec.analysis, stepWeights: [10, 30, 50] } },
    };
    world.tick();
    expect(world.canary.status?.canaryWeight).toBe(30);
  });

  it('E17: iterations lowered below the counter promote (15.1.38)', () => {
    const world = initialized(aCanary({ iterations: 5, match: header }));
    world.push('s1:b');
    world.tickUntil((one) => one.release.iterations === 3);
    world.canary = { ...world.canary, spec: { ...world.canary.spec, analysis: { ...world.canary.spec.analysis, iterations: 2 } } };
    world.tickUntil(at('Succeeded'));
    expect(world.promoted).toEqual(['s1:b']);
  });

  it('E14: mirror on a provider that cannot mirror is left out (15.2.23)', () => {
    const world = initialized(aCanary({ ...steps, mirror: true }), (one) => {
      one.supports.mirroring = false;
    });
    world.push('s1:b');
    world.tickUntil(at('Succeeded'));
    expect(world.trace).not.toContain('Progressing mirrored');
  });
});

describe('suspend, answers and deliveries', () => {
  it.each([false, true])(
    'E52: a weight lowered by hand counts when suspend is lifted while Serin is down (crash before: %s)',
    (isTwice) => {
      const world = releasing({}, 40);
      const suspend = (isOn: boolean) => {
        world.canary = { ...world.canary, spec: { ...world.canary.spec, suspend: isOn } };
      };
      const written = () => {
        const { phase = '', release } = world.canary.status ?? {};
        if (release) world.canary = { ...world.canary, status: projectStatus(world.canary, phase, release, world.facts()) };
      };
      suspend(true);
      world.look();
      written();
      if (isTwice) {
        world.crash();
        written();
      }
      world.routes = { kind: 'weighted', canary: weight(5) };
      suspend(false);
      world.crash();
      expect([world.canary.status?.canaryWeight, world.canary.status?.release?.suspended]).toEqual([5, undefined]);
      world.routes = { kind: 'weighted', canary: weight(1) };
      world.crash();
      expect(world.canary.status?.canaryWeight, 'without a suspend it is drift').toBe(5);
    },
  );

  it('E52: suspend asks nothing, writes nothing, and takes over a weight lowered by hand', () => {
    const world = releasing({}, 40);
    const suspend = (isOn: boolean) => {
      world.canary = { ...world.canary, spec: { ...world.canary.spec, suspend: isOn } };
    };
    suspend(true);
    const before = world.asked.length;
    world.tick(60_000);
    expect([world.asked.length, world.intent.frozen]).toEqual([before, true]);
    world.routes = { kind: 'weighted', canary: 5 as never };
    suspend(false);
    world.look();
    expect(world.canary.status?.canaryWeight).toBe(5);
  });

  it('E53: an answer to another question is dropped', () => {
    const world = releasing(withHooks('rollout'));
    const stale = {
      type: 'ANSWER',
      facts: world.facts(),
      answer: { kind: 'measure', id: 'other', verdicts: [{ check: 'x', verdict: 'failed' }] },
    } as const;
    const { next, questions } = step(world.snapshot, stale);
    expect([next === world.snapshot, questions]).toEqual([true, []]);
  });

  it('E53: RESUME asks again under a new id', () => {
    const world = initialized(aCanary({ ...steps, ...withHooks('confirm-rollout') }));
    world.targetRevision = 's1:b';
    world.look();
    const before = openQuestionOf(world.snapshot);
    world.nowMs += 1000;
    world.crash();
    expect(openQuestionOf(world.snapshot)).not.toBe(before);
    expect(openQuestionOf(world.snapshot)).toContain('s1:b');
  });

  it('E53: a promotion is asked for again also where the canary has died meanwhile, whose traffic goes home first (I5)', () => {
    const world = releasing();
    world.behaviour.refusesPromote = true;
    world.tickUntil(at('Promoting', 'writingPrimary'));
    expect(world.canary.status?.canaryWeight).toBeGreaterThan(0);
    world.targetDown = true;
    world.behaviour.refusesPromote = false;
    world.crash();
    expect([world.step, world.canary.status?.canaryWeight]).toEqual(['writingPrimary', 0]);
    expect(openQuestionOf(world.snapshot)).toBeDefined();
    world.targetDown = false;
    world.tickUntil(at('Succeeded', 'resting'));
    expect(world.promoted).toEqual(['s1:b']);
  });

  it('E54: deliveries are listed before their first attempt, keep their keys over a crash and leave when answered (I6)', () => {
    const world = releasing(withHooks('post-rollout'));
    world.deliversAtOnce = false;
    world.tickUntil(at('Succeeded'));
    const keys = (world.release.deliveries ?? []).map((one) => one.key);
    expect(keys).toEqual(['event', 'post-rollout', 'alert'].map((kind) => `c-1/1/s1:b/Succeeded/${kind}`));
    world.crash();
    expect((world.release.deliveries ?? []).map((one) => one.key)).toEqual(keys);
    while (world.deliver());
    expect([world.release.deliveries, isAtRest(world.snapshot)]).toEqual([[], true]);
  });

  it('E54: a delivery nobody takes is given up after 24 hours with an announcement', () => {
    const world = releasing();
    world.deliversAtOnce = false;
    world.tickUntil(at('Succeeded'));
    world.tick(24 * 3_600_000);
    expect(world.release.deliveries).toEqual([]);
    expect(world.asked.some((one) => one.kind === 'announce' && one.announcement.reason === 'DeliveryLapsed')).toBe(true);
  });

  it('I8: a restart over a resting Canary asks for nothing', () => {
    const world = initialized();
    const { questions } = step(start(world.canary, world.facts()), { type: 'RESUME', facts: world.facts() });
    expect(questions).toEqual([]);
  });

  it('E18: cookies are made when weights rise, kept while they do, and retired at the end (15.2.24)', () => {
    const world = releasing({ sessionAffinity: { cookieName: 'side', primaryCookieName: 'main' } });
    expect(world.canary.status).toMatchObject({ sessionAffinityCookie: 'side=word', primarySessionAffinityCookie: 'main=word' });
    world.tickUntil(at('Succeeded'));
    expect(world.routes).toEqual({ kind: 'weighted', canary: 0, affinity: { previous: 'side=word' } });
    expect(world.canary.status?.sessionAffinityCookie).toBeUndefined();
  });
});

describe('a generation that moves without a revision', () => {
  const records = (world: World) => world.asked.filter(({ kind }) => kind === 'record').length;

  it('E58: is recorded once at rest, when everything is put away, and never again', () => {
    const world = releasing();
    world.tickUntil(at('Succeeded', 'resting'));
    const before = records(world);
    world.targetGeneration = 4;
    world.targetRollout = '3';
    world.settle();
    expect(world.release).toMatchObject({ observedGeneration: 4, observedRollout: '3', revision: 's1:b' });
    world.settle();
    expect(records(world)).toBe(before + 1);
  });

  it('E58: goes along with other news during a release, and is no news by itself', () => {
    const world = releasing();
    const before = records(world);
    world.targetGeneration = 2;
    world.settle();
    expect(records(world)).toBe(before);
    expect(world.release.observedGeneration).toBe(1);
    world.tickUntil((one) => one.canary.status?.canaryWeight === 40);
    expect(world.release.observedGeneration).toBe(2);
  });

  it('E58: another revision at rest is released, and keeps its own generation', () => {
    const world = initialized(aCanary(steps));
    world.targetGeneration = 2;
    world.push('s1:b');
    expect(world.phase).toBe('Progressing');
    expect(world.release).toMatchObject({ revision: 's1:b', observedGeneration: 2 });
  });
});
