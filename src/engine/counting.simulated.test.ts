import fc from 'fast-check';
import { expect, it as test } from 'vitest';
import { propertyRuns, propertyTimeoutMs } from '../../test/fakes/property-runs.ts';
import { aCanary, initialized, type World } from '../../test/fakes/world.ts';
import type { Analysis } from '../api/canary.ts';
import type { Verdict } from '../api/canary-status.ts';

const it = (title: string, property: () => void) => test(title, { timeout: propertyTimeoutMs }, property);

function analysing(analysis: Partial<Analysis>): World {
  const world = initialized(aCanary({ stepWeight: 1, ...analysis }));
  world.pushUntil('s1:b', ({ step }) => step === 'analysing');
  return world;
}

/** Verdicts of successive checks, with runs of equal ones: long runs of passes, as in a release of many steps. */
const someChecks = fc
  .array(
    fc.record({
      verdict: fc.constantFrom<Verdict['verdict']>('passed', 'failed', 'unmeasured'),
      others: fc.constantFrom<Verdict[]>([], [{ check: 'latency', verdict: 'failed' }]),
      times: fc.integer({ min: 1, max: 14 }),
    }),
    { minLength: 1, maxLength: 6, size: 'max' },
  )
  .map((rows) =>
    rows.flatMap(({ times, ...one }) => Array.from({ length: one.verdict === 'passed' ? times : Math.min(times, 2) }, () => one)),
  );

it('L1, L6, L7: failedChecks is the number of failed checks of the run, and the Nth of threshold N ends it, with any passes between', () =>
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 6 }),
      fc.constantFrom<Analysis['unmeasured']>('fail', 'hold'),
      someChecks,
      (threshold, unmeasured, checks) => {
        const world = analysing({ threshold, unmeasured });
        let failed = 0;
        for (const { verdict, others } of checks) {
          world.behaviour.verdicts = [{ check: 'errors', verdict }, ...(verdict === 'failed' ? others : [])];
          world.tick();
          if (verdict === 'failed' || (verdict === 'unmeasured' && unmeasured === 'fail')) failed += 1;
          expect(world.release.failedChecks).toBe(failed);
          expect(world.phase, `${failed} failed checks of ${threshold}`).toBe(failed < Math.max(1, threshold) ? 'Progressing' : 'Failed');
          if (world.phase === 'Failed') return;
        }
      },
    ),
    propertyRuns(0.5),
  ));

/** Any plan of weights, including plans that a user would not write. */
const aPlan: fc.Arbitrary<Partial<Analysis>> = fc.oneof(
  fc.record({ stepWeight: fc.integer({ min: 5, max: 100 }), maxWeight: fc.integer({ min: 1, max: 100 }) }),
  fc.record({ stepWeights: fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 8 }), mirror: fc.boolean() }),
);

/** A second implementation of the rules in docs and Flagger (E10–E12). */
function weightsOf({ stepWeight = 0, stepWeights = [], maxWeight = 100 }: Partial<Analysis>): number[] {
  if (stepWeights.length > 0) return [...new Set(stepWeights)].toSorted((a, b) => a - b);
  const weights: number[] = [];
  while ((weights.at(-1) ?? 0) < maxWeight) weights.push(Math.min(100, (weights.at(-1) ?? 0) + stepWeight));
  return weights;
}

it('L2: an undisturbed release gives its canary exactly the weights of its plan, and is promoted after the last', () =>
  fc.assert(
    fc.property(aPlan, (plan) => {
      const world = initialized(aCanary(plan));
      const seen: number[] = [];
      let isMirrored = false;
      world.onRecord = ({ phase, release: { routes } }) => {
        isMirrored ||= routes.kind === 'mirrored';
        const weight = routes.kind === 'weighted' ? routes.canary : 0;
        if (phase === 'Progressing' && weight > 0 && weight !== seen.at(-1)) seen.push(weight);
      };
      world.pushUntil('s1:b', ({ phase, step }) => phase === 'Succeeded' && step === 'resting');
      expect([seen, isMirrored, world.promoted]).toEqual([weightsOf(plan), plan.mirror === true, ['s1:b']]);
    }),
    propertyRuns(0.5),
  ));

it('L2: an undisturbed A/B or blue/green release takes exactly its iterations, and is promoted after the last', () =>
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6 }), fc.boolean(), (iterations, isMatched) => {
      const match = isMatched ? { match: [{ headers: { 'x-canary': { exact: 'yes' } } }] } : {};
      const world = initialized(aCanary({ iterations, ...match }));
      const seen: number[] = [];
      // The switch of blue/green after the last weight is not part of the plan.
      world.onRecord = ({ phase, release: { iterations: now, routes } }) => {
        const isSwitched = routes.kind === 'weighted' && routes.canary > 0;
        if (phase === 'Progressing' && now > 0 && !isSwitched && now !== seen.at(-1)) seen.push(now);
      };
      world.pushUntil('s1:b', ({ phase, step }) => phase === 'Succeeded' && step === 'resting');
      expect([seen, world.promoted]).toEqual([Array.from({ length: iterations }, (_, index) => index + 1), ['s1:b']]);
    }),
    propertyRuns(0.5),
  ));
