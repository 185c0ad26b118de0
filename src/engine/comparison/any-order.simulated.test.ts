import fc from 'fast-check';
import { expect, it } from 'vitest';
import { counting } from '../../../test/fakes/compared-release.ts';
import { propertyRuns, propertyTimeoutMs } from '../../../test/fakes/property-runs.ts';
import { aCanary, World, withHooks } from '../../../test/fakes/world.ts';
import { comparedStates } from './compared-state.ts';

const comparison = { mode: 'gate', pace: 'evidence', warmUp: '0s', maxStepDuration: '1m', latency: {} } as const;
const plans = [
  aCanary({ stepWeight: 40, comparison, ...withHooks('confirm-traffic-increase', 'confirm-promotion', 'rollback') }),
  aCanary({ stepWeights: [10, 60], mirror: true, unmeasured: 'hold', comparison }),
  aCanary({ iterations: 5, match: [{ headers: { user: { exact: 'a' } } }], comparison }),
  aCanary({ iterations: 5, comparison }),
  aCanary({ stepWeight: 40, comparison: { ...comparison, mode: 'shadow' }, ...withHooks('confirm-promotion', 'rollback') }),
];
const CANARY_PER_SECOND = 10;

const acts: Readonly<Record<string, (world: World, nth: number) => void>> = {
  tick: (world) => world.tick(),
  poll: (world) => world.tick(5_000),
  late: (world) => world.tick(17_000),
  crash: (world) => world.crash(),
  answer: (world) => void world.answer(),
  pause: (world, nth) => world.ask('pause', `p${nth}`),
  resume: (world, nth) => world.ask('resume', `r${nth}`),
  push(world, nth) {
    world.targetRevision = `s1:${nth}`;
    world.sendFacts();
  },
  suspend(world) {
    world.canary = { ...world.canary, spec: { ...world.canary.spec, suspend: world.canary.spec.suspend !== true } };
    world.sendFacts();
  },
  block(world) {
    if (world.behaviour.blocker === undefined) world.behaviour.blocker = 'no';
    else delete world.behaviour.blocker;
    world.sendFacts();
  },
  canaryDown(world) {
    world.targetDown = !world.targetDown;
    world.sendFacts();
  },
  countLate(world) {
    world.countsAreLate = !world.countsAreLate;
  },
  closeGate(world) {
    world.behaviour.hooks = { 'confirm-promotion': 'refused' };
  },
};
const anAct = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('tick', 'poll') },
  { weight: 3, arbitrary: fc.constantFrom(...Object.keys(acts)) },
);

it('E122, E125: after any order of events no request is counted twice, and a Canary that is paused, suspended or blocked is not polled', {
  timeout: propertyTimeoutMs,
}, () => {
  let polls = 0;
  fc.assert(
    fc.property(fc.constantFrom(...plans), fc.array(anAct, { minLength: 20, maxLength: 80, size: 'max' }), (plan, names) => {
      const world = new World(plan);
      counting(world, { canary: 0.001, primary: 0.001, perSecond: 10 * CANARY_PER_SECOND });
      world.onStep = ({ next: { context }, event: { facts }, questions }) => {
        const { release, frozen } = context;
        const asked = questions.filter(({ kind }) => kind === 'compare');
        polls += asked.length;
        expect(asked.length === 0 || (facts.blocker === undefined && !frozen && release.paused === undefined)).toBe(true);
        const elapsedS = (facts.nowMs - (release.measuredFromMs ?? release.startedMs)) / 1000;
        for (const { known } of comparedStates(release, facts.canary))
          expect(known.evidence.canary.requests).toBeLessThanOrEqual(CANARY_PER_SECOND * elapsedS + 0.001);
      };
      world.begin();
      world.tick();
      world.push('s1:b');
      for (const [nth, name] of names.entries()) acts[name]?.(world, nth);
    }),
    propertyRuns(0.5),
  );
  expect(polls).toBeGreaterThan(20);
});
