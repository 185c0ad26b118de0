import fc from 'fast-check';
import { describe, expect, it as test } from 'vitest';
import { type Act, anAct, heal, plans, run } from '../../test/fakes/lives.ts';
import { propertyRuns, propertyTimeoutMs } from '../../test/fakes/property-runs.ts';
import { aCanary, World } from '../../test/fakes/world.ts';
import type { HookType } from '../api/canary.ts';
import type { Delivery, Release } from '../api/canary-status.ts';
import { isReleasing } from '../api/phase.ts';
import { type Routes, reachesCanary } from '../api/routes.ts';
import { desiredStateOf } from './desired-state-of.ts';
import { hasHooks, strategyOf, weightOf } from './strategy.ts';

const it = (title: string, property: () => void) => test(title, { timeout: propertyTimeoutMs }, property);

/** Every recorded status of a random life, with the state of the world at that moment. */
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

/** Any other key belongs to a message during the release. */
const OUTCOMES = ['Succeeded', 'Failed', 'superseded', 'cancelled'];

/** A receiver distinguishes a repeat from a new message only by the key: a listed message keeps its key until it leaves the list (I6). */
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

/** Traffic or the count of iterations advances, or the promotion begins. A weight that was withdrawn and returns was reached earlier. */
function isAdvance(from: string, before: Release, phase: string, release: Release): boolean {
  if (phase === 'Promoting') return from !== 'Promoting';
  if (phase !== 'Progressing' && phase !== 'WaitingPromotion') return false;
  const isGivenBack = before.heldRoutes !== undefined && release.heldRoutes === undefined;
  return !isGivenBack && before.run === release.run && (isRise(before.routes, release.routes) || release.iterations > before.iterations);
}

/** The gates that must allow this advance (E81, E24). */
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

  it('I13: nothing advances, and the primary is not written, while the canary is below its threshold or a called gate is closed', () =>
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

  it('I11: a check that cannot be measured neither advances nor fails a release that holds', () =>
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom<Act>({ act: 'tick' }, { act: 'settle' }, { act: 'answer' }, { act: 'crash' }), { maxLength: 60 }),
        (acts) => {
          // Maximum duration of a hold (E22a).
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
