import fc from 'fast-check';
import { expect, it } from 'vitest';
import { propertyRuns, propertyTimeoutMs } from '../../test/fakes/property-runs.ts';
import { aCanary, initialized, type World, withHooks } from '../../test/fakes/world.ts';
import { type Acknowledgement, Verb } from '../api/verb-request.ts';
import { weightOf } from './strategy.ts';

type Act =
  | { act: 'go' | 'late' | 'crash' | 'look' | 'targetDown' | 'again' }
  | { act: 'ask'; verb: Verb }
  | { act: 'push'; revision: string };

const anAct: fc.Arbitrary<Act> = fc.oneof(
  { weight: 10, arbitrary: fc.constant<Act>({ act: 'go' }) },
  {
    weight: 5,
    arbitrary: fc.constantFrom<Act>({ act: 'late' }, { act: 'crash' }, { act: 'look' }, { act: 'targetDown' }, { act: 'again' }),
  },
  { weight: 8, arbitrary: fc.constantFrom(...Verb.options).map((verb): Act => ({ act: 'ask', verb })) },
  { weight: 3, arbitrary: fc.constantFrom('s1:a', 's1:b', 's1:b', 's1:c').map((revision): Act => ({ act: 'push', revision })) },
);
const plans = [
  aCanary({ stepWeight: 40, threshold: 1 }),
  aCanary({ stepWeight: 40, threshold: 1, ...withHooks('confirm-rollout') }),
  aCanary({ iterations: 2, ...withHooks('pre-rollout', 'confirm-promotion') }),
];

function run(world: World, one: Act, nth: number): void {
  switch (one.act) {
    case 'go':
      world.tick();
      break;
    case 'late':
      world.tick(700_000);
      break;
    case 'crash':
      world.crash();
      break;
    case 'look':
      world.sendFacts();
      break;
    case 'again':
      world.settle();
      break;
    case 'targetDown':
      world.targetDown = !world.targetDown;
      world.settle();
      break;
    case 'ask':
      world.nowMs += 1_000;
      world.request = { verb: one.verb, id: `r${nth}`, by: 'ann', atMs: world.nowMs };
      world.sendFacts();
      break;
    case 'push':
      world.push(one.revision);
      break;
  }
}

it('E70, E71: in any order of requests, crashes and pushes each request has one outcome, and nothing rises or fails while it is paused', {
  timeout: propertyTimeoutMs,
}, () => {
  fc.assert(
    fc.property(fc.constantFrom(...plans), fc.array(anAct, { minLength: 10, maxLength: 50, size: 'max' }), (plan, acts) => {
      const world = initialized(plan);
      const outcomes = new Map<string, Acknowledgement>();
      let before = world.release;
      world.onRecord = ({ release, phase }) => {
        for (const one of release.requests ?? []) {
          const known = outcomes.get(one.id);
          if (known) expect(one).toEqual(known);
          outcomes.set(one.id, one);
        }
        const ids = (release.requests ?? []).map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        if (before.paused && release.paused && before.revision === release.revision) {
          const held = before.heldRoutes ?? before.routes;
          expect(weightOf(release.routes)).toBeLessThanOrEqual(weightOf(held));
          expect([release.failedChecks, release.iterations]).toEqual([before.failedChecks, before.iterations]);
        }
        expect(release.paused === undefined || ['Waiting', 'Progressing', 'WaitingPromotion'].includes(phase)).toBe(true);
        before = release;
      };
      for (const [nth, one] of acts.entries()) run(world, one, nth);
      world.settle();
      const asked = acts.flatMap(({ act }, nth) => (act === 'ask' ? [`r${nth}`] : []));
      // A request that another one has replaced was still handled here, since each is handled at once.
      expect(asked.filter((id) => !outcomes.has(id)).length).toBeLessThanOrEqual(acts.filter(({ act }) => act === 'crash').length);
      // A paused release can be resumed.
      world.targetDown = false;
      world.ask('resume', 'last');
      world.tickUntil((now) => now.step === 'resting', 200);
    }),
    propertyRuns(),
  );
});
