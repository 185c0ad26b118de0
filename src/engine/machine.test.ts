import { describe, expect, it } from 'vitest';
import { at, header, kubernetes, releasing, steps } from '../../test/fakes/releasing.ts';
import { aCanary, initialized, type World, withHooks } from '../../test/fakes/world.ts';
import { weight } from '../api/routes.ts';
import { handleEvent, isAtRest, openQuestionsOf, restored, start } from './machine.ts';
import { projectStatus } from './project-status.ts';

const none = () => undefined;
const end = ['Finalising 0', 'Succeeded 0'];

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
      plan: 'a provider without weights counts iterations, and its canary weight stays 0',
      analysis: { iterations: 2, stepWeight: 10 },
      prepare: kubernetes,
      trace: ['Progressing 0', 'Progressing 0 #1', 'Progressing 0 #2', 'Promoting 0 #2', ...end],
    },
    {
      plan: 'A/B where the provider cannot match keeps users on the primary',
      analysis: { iterations: 1, match: header },
      prepare: (world) => {
        world.supports.headerMatch = false;
      },
      trace: ['Progressing 0', 'Progressing 0 #1', 'Promoting 0 #1', ...end],
    },
    {
      plan: 'A/B with stepWeightPromotion ends like any other, whatever the provider reads back',
      analysis: { iterations: 2, match: header, stepWeightPromotion: 60 },
      prepare: none,
      trace: ['Progressing 0', 'Progressing matched #1', 'Progressing matched #2', 'Promoting matched #2', ...end],
    },
    { plan: 'skipAnalysis', analysis: steps, prepare: none, spec: { skipAnalysis: true }, trace: ['Progressing 0', 'Promoting 0', ...end] },
  ];
  it.each(cases)('E10: $plan', ({ analysis, prepare, spec, trace }) => {
    const world = initialized(aCanary(analysis, spec), prepare);
    world.pushUntil('s1:b', at('Succeeded'));
    expect(world.trace).toEqual(trace);
    expect(world.promoted).toEqual(['s1:b']);
    expect(world.canary.status).toMatchObject({ phase: 'Succeeded', lastPromotedSpec: 's1:b', canaryWeight: 0, iterations: 0 });
    expect([world.targetReplicas, isAtRest(world.snapshot)]).toEqual([0, true]);
  });

  it('E13: a provider without weights and without iterations counts to ten', () => {
    const world = initialized(aCanary({ stepWeight: 10 }), kubernetes);
    world.pushUntil('s1:b', at('Succeeded'));
    expect(world.trace).toContain('Progressing 0 #10');
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
      world.sendFacts();
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

  it('E52: suspend makes no query or call, writes nothing, and takes over a weight lowered by hand', () => {
    const world = releasing({}, 40);
    const suspend = (isOn: boolean) => {
      world.canary = { ...world.canary, spec: { ...world.canary.spec, suspend: isOn } };
    };
    suspend(true);
    const before = world.asked.length;
    world.tick(60_000);
    expect([world.asked.length, world.desired.frozen]).toEqual([before, true]);
    world.routes = { kind: 'weighted', canary: 5 as never };
    suspend(false);
    world.sendFacts();
    expect(world.canary.status?.canaryWeight).toBe(5);
  });

  it('E54: a message that no release has listed, or that was answered earlier, changes nothing', () => {
    const world = initialized(aCanary(steps));
    const { deliveries: _, ...release } = world.release;
    const none = { ...world.snapshot, context: { ...world.snapshot.context, release } };
    const { next, questions } = handleEvent(none, { type: 'DELIVERED', facts: world.facts(), key: 'c-1/0/s1:a/Initialized/event' });
    expect([next.value, next.context.release.revision, questions.filter(({ kind }) => kind !== 'record')]).toEqual([
      world.snapshot.value,
      's1:a',
      [],
    ]);
  });

  it('E53: an answer to another question is dropped', () => {
    const world = releasing(withHooks('rollout'));
    const stale = {
      type: 'ANSWER',
      facts: world.facts(),
      answer: { kind: 'measure', id: 'other', verdicts: [{ check: 'x', verdict: 'failed' }] },
    } as const;
    const { next, questions } = handleEvent(world.snapshot, stale);
    expect([next === world.snapshot, questions]).toEqual([true, []]);
  });

  it('E53: RESUME puts the open question again under a new id', () => {
    const world = initialized(aCanary({ ...steps, ...withHooks('confirm-rollout') }));
    world.targetRevision = 's1:b';
    world.sendFacts();
    const before = openQuestionsOf(world.snapshot);
    world.nowMs += 1000;
    world.crash();
    expect(openQuestionsOf(world.snapshot)).not.toEqual(before);
    expect(openQuestionsOf(world.snapshot)).toEqual([expect.stringContaining('s1:b')]);
  });

  it('E80: a promotion whose canary has died is not repeated before it recovers; its traffic goes to the primary first (I5, I13)', () => {
    const world = releasing();
    world.behaviour.refusesPromote = true;
    world.tickUntil(at('Promoting', 'writingPrimary'));
    expect(world.canary.status?.canaryWeight).toBeGreaterThan(0);
    world.targetDown = true;
    world.behaviour.refusesPromote = false;
    world.crash();
    expect([world.step, world.canary.status?.canaryWeight, openQuestionsOf(world.snapshot)]).toEqual(['writingPrimary', 0, []]);
    world.tick();
    expect([world.phase, world.step, world.promoted]).toEqual(['Progressing', 'canaryUnavailable', []]);
    world.targetDown = false;
    world.tickUntil(at('Succeeded', 'resting'));
    expect(world.promoted).toEqual(['s1:b']);
  });

  it('E54: deliveries are listed before their first attempt, keep their keys over a crash and leave when answered (I6)', () => {
    const world = releasing(withHooks('post-rollout'));
    world.deliversAtOnce = false;
    world.tickUntil(at('Succeeded'));
    const keys = (world.release.deliveries ?? []).map((one) => one.key);
    expect(keys).toEqual(['event', 'post-rollout/post-rollout', 'alert'].map((kind) => `c-1/1/s1:b/Succeeded/${kind}`));
    world.crash();
    expect((world.release.deliveries ?? []).map((one) => one.key)).toEqual(keys);
    while (world.deliver());
    expect([world.release.deliveries, isAtRest(world.snapshot)]).toEqual([[], true]);
  });

  it('E105: each post-rollout hook and each event webhook is listed by itself, also of two that share a name', () => {
    const webhooks = [
      ...(withHooks('post-rollout', 'event', 'post-rollout').webhooks ?? []),
      { name: 'tell', type: 'post-rollout' as const, url: 'http://hooks.test/tell' },
    ];
    const world = releasing({ webhooks });
    world.deliversAtOnce = false;
    world.tickUntil(at('Succeeded'));
    const hooks = (world.release.deliveries ?? []).flatMap(({ key, kind, hook }) =>
      hook ? [{ key: key.split('/').slice(4).join('/'), kind, hook }] : [],
    );
    expect(hooks).toEqual([
      { key: 'event-webhook/event', kind: 'event-webhook', hook: { name: 'event', nth: 0 } },
      { key: 'post-rollout/post-rollout', kind: 'post-rollout', hook: { name: 'post-rollout', nth: 0 } },
      { key: 'post-rollout/post-rollout/1', kind: 'post-rollout', hook: { name: 'post-rollout', nth: 1 } },
      { key: 'post-rollout/tell', kind: 'post-rollout', hook: { name: 'tell', nth: 0 } },
    ]);
  });

  it('E105: the receiver of all events is listed if the Canary has no event webhook', () => {
    const kinds = (hasReceiver: boolean, ...types: 'event'[]) => {
      const world = releasing(withHooks(...types));
      world.deliversAtOnce = false;
      world.globalEvents = hasReceiver;
      world.tickUntil(at('Succeeded'));
      return (world.release.deliveries ?? []).flatMap(({ kind, hook }) => (kind === 'event-webhook' ? [hook?.name] : []));
    };
    expect([kinds(true), kinds(true, 'event'), kinds(false)]).toEqual([[undefined], ['event'], []]);
  });

  it('E54: a delivery without a receiver is given up after 24 hours with an announcement', () => {
    const world = releasing();
    world.deliversAtOnce = false;
    world.tickUntil(at('Succeeded'));
    world.tick(24 * 3_600_000);
    expect(world.release.deliveries).toEqual([]);
    expect(world.asked.some((one) => one.kind === 'announce' && one.announcement.reason === 'DeliveryExpired')).toBe(true);
  });

  it('I15: at most 500 messages of ended releases wait, and an announcement names the oldest', () => {
    const world = releasing(withHooks(...Array.from({ length: 100 }, () => 'event' as const)));
    world.deliversAtOnce = false;
    world.tickUntil(at('Succeeded'));
    const first = world.release.deliveries?.[0]?.key;
    for (let turn = 0; turn < 5; turn += 1) {
      world.pushUntil(`s1:r${turn}`, at('Progressing'));
      world.tickUntil(at('Succeeded'));
    }
    expect(world.release.deliveries?.length).toBe(500);
    expect(world.release.deliveries?.some(({ key }) => key === first)).toBe(false);
    expect(world.asked.some((one) => one.kind === 'announce' && one.announcement.reason === 'DeliveryExpired')).toBe(true);
  });

  it('I8: a restart over a resting Canary puts no question', () => {
    const world = initialized();
    const { questions } = handleEvent(start(world.canary, world.facts()), { type: 'RESUME', facts: world.facts() });
    expect(questions).toEqual([]);
  });

  it('E18: cookies are made when weights rise, kept while they do, and retired at the end', () => {
    const world = releasing({ sessionAffinity: { cookieName: 'side', primaryCookieName: 'main' } });
    expect(world.canary.status).toMatchObject({ sessionAffinityCookie: 'side=word', primarySessionAffinityCookie: 'main=word' });
    world.tickUntil(at('Succeeded'));
    expect(world.routes).toEqual({ kind: 'weighted', canary: 0, affinity: { previous: 'side=word' } });
    expect(world.canary.status?.sessionAffinityCookie).toBeUndefined();
  });
});

describe('a generation that changes without a revision', () => {
  const records = (world: World) => world.asked.filter(({ kind }) => kind === 'record').length;

  it('E58: is recorded once when idle, when the pods are scaled down, and never again', () => {
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

  it('E58: is recorded with other changes during a release, and does not cause a record by itself', () => {
    const world = releasing();
    const before = records(world);
    world.targetGeneration = 2;
    world.settle();
    expect(records(world)).toBe(before);
    expect(world.release.observedGeneration).toBe(1);
    world.tickUntil((one) => one.canary.status?.canaryWeight === 40);
    expect(world.release.observedGeneration).toBe(2);
  });

  it('E58: another revision in an idle Canary is released, and keeps its own generation', () => {
    const world = initialized(aCanary(steps));
    world.targetGeneration = 2;
    world.push('s1:b');
    expect(world.phase).toBe('Progressing');
    expect(world.release).toMatchObject({ revision: 's1:b', observedGeneration: 2 });
  });
});

it.each([
  ['heldBack', 'canaryUnavailable'],
  ['emptying', 'recycleStopping'],
])('a status that has the former name %s of a step continues in %s', (former, now) => {
  const world = releasing();
  const { status } = world.canary;
  if (status?.release === undefined) throw new Error('there is a release');
  const canary = { ...world.canary, status: { ...status, release: { ...status.release, step: former } } };
  expect(start(canary, { ...world.facts(), canary }).value).toEqual({ Progressing: now });
});

it.each([
  [{ Nowhere: 'at' }, 'Nowhere.at'],
  [{ Progressing: 'nowhere' }, 'Progressing.nowhere'],
  [{ ['x'.repeat(200)]: 'y' }, 'x'.repeat(100)],
])('I16: a stored state that the chart does not have is reported by the beginning of its name: %j', (value, unknown) => {
  expect(restored({ value, context: {} })).toEqual({ unknown });
});
