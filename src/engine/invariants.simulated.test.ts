import fc from 'fast-check';
import { describe, expect, it as test } from 'vitest';
import { propertyRuns, propertyTimeoutMs } from '../../test/fakes/property-runs.ts';
import { aCanary, World, withHooks } from '../../test/fakes/world.ts';
import type { HookType } from '../api/canary.ts';
import type { Delivery, Release } from '../api/canary-status.ts';
import { isReleasing } from '../api/phase.ts';
import { type Routes, reachesCanary } from '../api/routes.ts';
import { desiredStateOf } from './desired-state-of.ts';
import { hasHooks, strategyOf, weightOf } from './strategy.ts';

const it = (title: string, property: () => void) => test(title, { timeout: propertyTimeoutMs }, property);

type Act =
  | {
      act:
        | 'tick'
        | 'crash'
        | 'apply'
        | 'answer'
        | 'look'
        | 'settle'
        | 'deliver'
        | 'targetDown'
        | 'primaryDown'
        | 'short'
        | 'gates'
        | 'skip'
        | 'refuse'
        | 'go'
        | 'calm'
        | 'hooks'
        | 'suspend'
        | 'breakPrimary';
    }
  | { act: 'push'; revision: string }
  | { act: 'verdict'; verdict: 'passed' | 'failed' | 'unmeasured' };

/** Mostly a release that goes on: what disturbs it is rare enough to find it at each of its steps. */
const anAct: fc.Arbitrary<Act> = fc.oneof(
  { weight: 24, arbitrary: fc.constant<Act>({ act: 'go' }) },
  { weight: 8, arbitrary: fc.constantFrom<Act>({ act: 'tick' }, { act: 'apply' }, { act: 'answer' }, { act: 'look' }) },
  { weight: 6, arbitrary: fc.constantFrom<Act>({ act: 'crash' }, { act: 'deliver' }, { act: 'calm' }) },
  { weight: 5, arbitrary: fc.constantFrom<Act>({ act: 'targetDown' }, { act: 'primaryDown' }, { act: 'primaryDown' }) },
  { weight: 2, arbitrary: fc.constantFrom<Act>({ act: 'hooks' }, { act: 'suspend' }, { act: 'breakPrimary' }) },
  { weight: 4, arbitrary: fc.constantFrom<Act>({ act: 'short' }, { act: 'short' }, { act: 'gates' }, { act: 'skip' }, { act: 'refuse' }) },
  { weight: 3, arbitrary: fc.constantFrom('s1:a', 's1:b', 's1:b', 's1:c', 's1:d').map((revision): Act => ({ act: 'push', revision })) },
  {
    weight: 2,
    arbitrary: fc.constantFrom('passed', 'passed', 'failed', 'unmeasured').map((verdict): Act => ({ act: 'verdict', verdict }) as Act),
  },
);
const gates = withHooks('pre-rollout', 'confirm-traffic-increase', 'confirm-promotion', 'rollback', 'post-rollout');
const plans = [
  aCanary({ stepWeight: 40, threshold: 1, ...gates }),
  aCanary({ stepWeight: 10, threshold: 1 }),
  aCanary({ stepWeights: [10, 60], stepWeightPromotion: 25, mirror: true, unmeasured: 'hold' }),
  aCanary({ iterations: 2, ...gates }),
  aCanary({ iterations: 2, match: [{ headers: { user: { exact: 'a' } } }] }),
  aCanary({ stepWeight: 50 }, { skipAnalysis: true }),
];

function run(world: World, one: Act): void {
  switch (one.act) {
    case 'tick':
      world.nowMs += 4_000;
      world.send({ type: 'WAKE', facts: world.facts() });
      break;
    case 'go':
      world.tick();
      break;
    case 'calm':
      calm(world);
      world.look();
      break;
    case 'crash':
      world.crash();
      break;
    case 'apply':
      world.apply();
      break;
    case 'answer':
      world.answer();
      break;
    case 'look':
      world.look();
      break;
    case 'settle':
      world.settle();
      break;
    case 'deliver':
      world.deliver();
      break;
    case 'targetDown':
      world.targetDown = !world.targetDown;
      world.look();
      break;
    case 'primaryDown':
      world.primaryDown = !world.primaryDown;
      world.look();
      break;
    case 'short':
      // It serves, with fewer pods than its threshold asks for.
      world.room.target = world.room.target === 0 ? 1_000 : 0;
      world.look();
      break;
    case 'gates': {
      const { hooks } = world.behaviour;
      const closed = hooks['confirm-traffic-increase'] === 'refused' ? 'passed' : 'refused';
      Object.assign(hooks, { 'confirm-traffic-increase': closed, 'confirm-promotion': closed });
      break;
    }
    case 'refuse':
      world.behaviour.refusesPromote = !world.behaviour.refusesPromote;
      break;
    case 'skip':
      world.canary = { ...world.canary, spec: { ...world.canary.spec, skipAnalysis: world.canary.spec.skipAnalysis !== true } };
      world.look();
      break;
    case 'hooks':
      world.behaviour.hooks =
        Object.keys(world.behaviour.hooks).length > 0 ? {} : { 'pre-rollout': 'refused', 'confirm-promotion': 'refused' };
      break;
    case 'breakPrimary':
      if (!world.behaviour.brokenPrimary.delete('s1:b')) world.behaviour.brokenPrimary.add('s1:b');
      break;
    case 'suspend':
      world.canary = { ...world.canary, spec: { ...world.canary.spec, suspend: world.canary.spec.suspend !== true } };
      world.look();
      break;
    case 'push':
      world.targetRevision = one.revision;
      world.look();
      break;
    case 'verdict':
      world.behaviour.verdicts = [{ check: 'errors', verdict: one.verdict }];
      break;
  }
}

/** Every recorded status of a random life, with what the world looked like at that moment. */
function always(check: (world: World) => void): void {
  fc.assert(
    fc.property(fc.constantFrom(...plans), fc.array(anAct, { minLength: 10, maxLength: 60, size: 'max' }), (plan, acts) => {
      const world = new World(plan);
      world.deliversAtOnce = false;
      check(world);
      world.begin();
      world.tick();
      world.push('s1:b');
      for (const one of acts) run(world, one);
    }),
    propertyRuns(),
  );
}

/** Nothing is suspended, broken or refused any more. */
function calm(world: World): void {
  Object.assign(world, {
    targetDown: false,
    primaryDown: false,
    canary: { ...world.canary, spec: { ...world.canary.spec, suspend: false } },
    room: { target: 1_000, primary: 1_000 },
  });
  Object.assign(world.behaviour, { hooks: {}, verdicts: [], brokenPrimary: new Set(), refusesPromote: false });
}

/** Lets a random life end well: nothing is suspended, broken or refused any more. */
function heal(world: World): void {
  calm(world);
  world.look();
  world.settle();
  world.tickUntil((one) => one.step === 'resting' && one.release.promotedRevision !== undefined && isIdle(one), 200);
}

function isIdle(world: World): boolean {
  return ['Initialized', 'Succeeded', 'Failed'].includes(world.phase) && world.step === 'resting';
}

/** Any other key is of news along the way. */
const OUTCOMES = ['Succeeded', 'Failed', 'superseded', 'cancelled'];

/** A receiver distinguishes a repeat from news by the key alone: what was listed keeps its own until it leaves the list (I6). */
function expectStableKeys(world: World, deliveries: readonly Delivery[]): void {
  const renamed = deliveries.filter((one) => one.sinceMs < world.nowMs && !world.listed.has(one.key));
  expect(renamed).toEqual([]);
  expect(new Set(deliveries.map((one) => one.key)).size).toBe(deliveries.length);
}

function isRise(before: Routes | undefined, after: Routes): boolean {
  if (after.kind === 'mirrored') return before?.kind !== 'mirrored';
  if (after.kind === 'matched') return before?.kind !== 'matched' && weightOf(before ?? after) === 0;
  return before?.kind !== 'matched' && weightOf(after) > (before ? weightOf(before) : 0);
}

/** Traffic or the count of iterations goes on, or the promotion begins. A weight that was withdrawn and returns was reached before. */
function isAdvance(from: string, before: Release, phase: string, release: Release): boolean {
  if (phase === 'Promoting') return from !== 'Promoting';
  if (phase !== 'Progressing' && phase !== 'WaitingPromotion') return false;
  const isGivenBack = before.heldRoutes !== undefined && release.heldRoutes === undefined;
  return !isGivenBack && before.run === release.run && (isRise(before.routes, release.routes) || release.iterations > before.iterations);
}

/** The gates that this advance has to be let through by (E81, E24). */
function gatesOf({ canary, supports }: World, from: string, release: Release, phase: string): HookType[] {
  if (canary.spec.skipAnalysis === true && phase === 'Promoting') return [];
  const isTraffic = from === 'Progressing' && strategyOf(canary, supports) === 'canary';
  const isSwitch = strategyOf(canary, supports) === 'blue/green' && weightOf(release.routes) === 100;
  const isPromotion = phase === 'Promoting' && !isSwitch;
  const asked: HookType[] = [
    ...(isTraffic ? (['confirm-traffic-increase'] as const) : []),
    ...(isPromotion || (isSwitch && phase !== 'Promoting') ? (['confirm-promotion'] as const) : []),
  ];
  return asked.filter((type) => hasHooks(canary, type));
}

describe('in any order of events, crashes and suspends', () => {
  it('I1: recorded weights are whole and within 0 and 100', () =>
    always((world) => {
      world.onRecord = ({ release }) => {
        expect(Number.isInteger(weightOf(release.routes)) && weightOf(release.routes) >= 0 && weightOf(release.routes) <= 100).toBe(true);
      };
    }));

  it('I2: the canary gains nothing unless it serves and its pre-rollout hooks passed', () =>
    always((world) => {
      world.onRecord = ({ phase, release }) => {
        const before = world.canary.status?.release?.routes;
        if (!isRise(before, release.routes) || phase === 'Failed') return;
        const needsHooks = world.canary.spec.analysis.webhooks?.some((one) => one.type === 'pre-rollout') === true;
        expect([world.facts().target?.serving, !needsHooks || release.preRolloutPassed]).toEqual([true, true]);
      };
    }));

  it('I3: the primary is written only from the pinned revision, in Promoting', () =>
    always((world) => {
      const { send } = world;
      world.send = (event) => {
        const from = world.asked.length;
        send.call(world, event);
        for (const one of world.asked.slice(from)) {
          if (one.kind === 'promote')
            expect([world.canary.status?.phase, one.revision]).toEqual(['Promoting', world.canary.status?.release?.revision]);
          if (one.kind === 'restorePrimary')
            expect([world.canary.status?.phase, one.revision]).toEqual(['Failed', world.release.promotedRevision]);
        }
      };
    }));

  it('I4: idle after Failed the primary has its last promoted template and all traffic, the canary nothing', () =>
    always((world) => {
      world.onRecord = ({ phase, release }) => {
        if (phase !== 'Failed' || release.step !== 'resting') return;
        expect([weightOf(release.routes), world.primaryCarries]).toEqual([0, release.promotedRevision]);
      };
    }));

  it('I5: no record sends traffic to a side that cannot serve while the other can', () =>
    always((world) => {
      world.onRecord = ({ phase, release }) => {
        const before = world.canary.status?.release?.routes;
        const { target, primary } = world.facts();
        if (isRise(before, release.routes) && release.routes.kind !== 'mirrored') expect(target?.serving || !primary?.serving).toBe(true);
        const fell = before !== undefined && reachesCanary(before) && weightOf(release.routes) < weightOf(before);
        if (fell && phase !== 'Initializing') expect(primary?.serving || !target?.serving).toBe(true);
      };
    }));

  it('I13: nothing advances, and the primary is not written, while the canary is below its threshold or a gate that is asked is closed', () =>
    always((world) => {
      const answers = new Map<string, 'passed' | 'refused'>();
      world.onAnswer = (type, outcome) => answers.set(type, outcome);
      world.onRecord = ({ phase, release }) => {
        const before = world.canary.status;
        if (!before?.release || !isAdvance(before.phase, before.release, phase, release)) return;
        expect(world.facts().target?.readiness.state).toBe('ready');
        for (const gate of gatesOf(world, before.phase, release, phase)) expect([gate, answers.get(gate)]).toEqual([gate, 'passed']);
        answers.clear();
      };
      const { send } = world;
      world.send = (event) => {
        const from = world.asked.length;
        send.call(world, event);
        const isWritten = world.primaryCarries === world.release.revision;
        if (isWritten || !world.asked.slice(from).some(({ kind }) => kind === 'promote')) return;
        expect(world.facts().target?.readiness.state).toBe('ready');
      };
    }));

  it('D5: a side with recorded traffic is never scaled to zero', () =>
    always((world) => {
      world.watch = (desired) => {
        if (desired.target === 'zero' && desired.routes) expect(reachesCanary(desired.routes)).toBe(false);
      };
    }));

  it('I6: each started revision has exactly one outcome, with stable keys', () => {
    fc.assert(
      fc.property(fc.constantFrom(...plans), fc.array(anAct, { minLength: 10, maxLength: 60, size: 'max' }), (plan, acts) => {
        const world = new World(plan);
        world.deliversAtOnce = false;
        const started = new Set<string>();
        world.onRecord = ({ phase, release }) => {
          if (isReleasing(phase)) started.add(`${release.run}/${release.revision}`);
          expectStableKeys(world, release.deliveries ?? []);
        };
        world.begin();
        for (const one of acts) run(world, one);
        world.deliversAtOnce = true;
        heal(world);
        const outcomes = new Map<string, Set<string>>();
        for (const key of world.listed) {
          const [, number, revision, outcome] = key.split('/');
          if (outcome === undefined || !OUTCOMES.includes(outcome)) continue;
          const run = `${number}/${revision}`;
          outcomes.set(run, (outcomes.get(run) ?? new Set()).add(outcome));
        }
        for (const one of started) expect([one, outcomes.get(one)?.size]).toEqual([one, 1]);
        expect([...outcomes.keys()].toSorted()).toEqual([...started].toSorted());
      }),
      propertyRuns(),
    );
  });

  it('I11: what cannot be measured neither advances nor fails a release that holds', () =>
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom<Act>({ act: 'tick' }, { act: 'settle' }, { act: 'answer' }, { act: 'crash' }), { maxLength: 60 }),
        (acts) => {
          // For as long as a hold may last (E22a).
          const world = new World(aCanary({ stepWeight: 40, unmeasured: 'hold' }, { progressDeadlineSeconds: 3_600 }));
          world.begin();
          world.tickUntil((one) => one.phase === 'Initialized');
          world.behaviour.verdicts = [{ check: 'errors', verdict: 'unmeasured' }];
          world.targetRevision = 's1:b';
          for (const one of acts) {
            world.settle();
            run(world, one);
          }
          expect([world.release.failedChecks, weightOf(world.release.routes) <= 40, world.promoted]).toEqual([0, true, []]);
          expect(world.phase).not.toBe('Failed');
        },
      ),
      propertyRuns(),
    ));

  it('D1: the desired state is the same for the same status and facts, and frozen while suspended', () =>
    always((world) => {
      world.watch = (desired) => {
        expect(desiredStateOf(world.canary, world.facts())).toEqual(desired);
        if (world.canary.spec.suspend === true) expect(desired.frozen).toBe(true);
      };
    }));
});
