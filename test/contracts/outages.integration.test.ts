import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Analysis } from '../../src/api/canary.ts';
import type { Verdict } from '../../src/api/canary-status.ts';
import { Phase } from '../../src/api/phase.ts';
import { weightOf } from '../../src/engine/strategy.ts';
import type { World } from '../fakes/world.ts';
import { outages } from './outages/kinds.ts';
import { moments } from './outages/moments.ts';
import { type Monitoring, startMonitoring } from './outages/monitoring.ts';

/** The pace of the checks of `aCanary`. */
const INTERVAL_MS = 10_000;
/** An outage that is over before the progress deadline of `aCanary`. */
const OUTAGE_TICKS = 4;
const THRESHOLD = 3;

let monitoring: Monitoring;
let well: readonly Verdict[] = [];
/** Verdicts of the real measurement in each outage. */
const unmeasured = new Map<string, readonly Verdict[]>();

beforeAll(async () => {
  monitoring = await startMonitoring();
  for (const { name, trouble } of outages) unmeasured.set(name, await monitoring.measure(trouble));
  well = await monitoring.measure();
});
afterAll(() => monitoring.stop());

describe('monitoring that fails', () => {
  it.each(outages)(
    'I11: $name: unmeasured, with the cause, and a verdict again when it is over',
    async ({ trouble, cause, why, mayName }) => {
      const verdict = { check: 'errors', limit: 'at most 9' };
      expect(await monitoring.measure()).toEqual([{ ...verdict, verdict: 'passed', value: 7 }]);
      const unmeasured = { verdict: 'unmeasured', code: 'Unmeasured', reason: expect.stringMatching(cause), ...why };
      const { query: _, ...found } = (await monitoring.measure(trouble))[0] ?? {};
      expect(found).toEqual({ ...verdict, ...unmeasured, ...('field' in found ? mayName : {}) });
      expect(await monitoring.measure()).toEqual([{ ...verdict, verdict: 'passed', value: 7 }]);
    },
  );
});

const isIdle = ({ phase, step, desired }: World): boolean =>
  step === 'resting' && desired.target === 'zero' && ['Initialized', 'Succeeded', 'Failed'].includes(phase);
const finish = (world: World): void => world.tickUntil(isIdle, 60);
const measured = (world: World): number => world.asked.filter(({ kind }) => kind === 'measure').length;
const progress = ({ release, promoted }: World) => [weightOf(release.routes), release.routes.kind, release.iterations, [...promoted]];

/** Fields that an outage must not change. */
const courseOf = ({ trace, promoted, release }: World) => ({
  trace: [...trace],
  promoted: [...promoted],
  failedChecks: release.failedChecks,
});

/** Every kind of outage at each moment; the kind changes from tick to tick, as it does when a cluster falls apart. */
const mixed = Array.from({ length: Math.ceil(outages.length / OUTAGE_TICKS) }, (_, index) => {
  const kinds = outages.slice(index * OUTAGE_TICKS, (index + 1) * OUTAGE_TICKS);
  return {
    kinds: kinds.map(({ name }) => name).join('; '),
    verdictsAt: (tick: number) => unmeasured.get(kinds[tick % kinds.length]?.name ?? ''),
  };
});

it('the moments at which an outage begins are of every phase that a release goes through', () => {
  const reached = moments.map(({ reach }) => reach('hold').phase);
  expect(new Set(['', ...reached, 'Terminating', 'Terminated'])).toEqual(new Set(Phase.options));
});

describe.each(moments)('an outage begins when a release is $name', ({ reach, meanwhile = () => undefined, isSoon }) => {
  const reached = (mode: Analysis['unmeasured'], verdictsAt: (tick: number) => readonly Verdict[] | undefined, eventAt: number) => {
    const world = reach(mode);
    // Sent alerts must stay readable.
    world.deliversAtOnce = false;
    const from = { asked: world.asked.length, measured: measured(world), promoted: world.promoted.length };
    let held: unknown;
    for (let tick = 0; tick < OUTAGE_TICKS; tick += 1) {
      world.behaviour.verdicts = verdictsAt(tick) ?? [];
      if (tick === eventAt) meanwhile(world);
      world.tick(INTERVAL_MS);
      if (world.release.blindSinceMs === undefined) continue;
      held ??= progress(world);
      expect(progress(world)).toEqual(held);
    }
    return { world, from };
  };
  const undisturbed = (mode: Analysis['unmeasured']) => {
    const { world, from } = reached(mode, () => well, isSoon ? 0 : OUTAGE_TICKS / 2);
    finish(world);
    return { ...courseOf(world), isMeasured: measured(world) > from.measured };
  };

  it('I11: with hold it takes the same course, and goes on within an interval of the recovery', () => {
    const { isMeasured, ...course } = undisturbed('hold');
    for (const { kinds, verdictsAt } of mixed) {
      const { world } = reached('hold', verdictsAt, OUTAGE_TICKS / 2);
      world.behaviour.verdicts = well;
      const recoveredMs = world.nowMs;
      const stood = world.release.stepStartedMs;
      if (world.release.blindSinceMs !== undefined) {
        world.tickUntil(({ release }) => release.blindSinceMs === undefined, 3);
        expect(world.nowMs - recoveredMs, kinds).toBeLessThanOrEqual(INTERVAL_MS);
        expect(world.release.stepStartedMs, kinds).toBeGreaterThan(stood);
      }
      finish(world);
      expect(courseOf(world), kinds).toEqual(course);
    }
  });

  it('E22: by default each of its checks fails as unmeasured, up to the threshold', () => {
    const usual = undisturbed(undefined);
    for (const { kinds, verdictsAt } of mixed) {
      const { world, from } = reached(undefined, verdictsAt, OUTAGE_TICKS / 2);
      finish(world);
      const said = world.asked.slice(from.asked).flatMap((one) => (one.kind === 'announce' ? [one.announcement] : []));
      const counted = said.filter(({ reason }) => reason === 'CheckFailed');
      for (const { message } of counted) expect(message, kinds).toContain('errors is unmeasured: ');
      expect(said.some(({ reason }) => reason === 'Unmeasured')).toBe(false);
      const checks = measured(world) - from.measured;
      const promoted = world.promoted.slice(from.promoted);
      if (checks < THRESHOLD) {
        // Something else has ended it, or it was judged before.
        expect([world.trace, promoted.length, counted.length], kinds).toEqual([usual.trace, usual.promoted.length - from.promoted, checks]);
        continue;
      }
      expect([usual.isMeasured, world.phase, world.release.failedChecks, promoted], kinds).toEqual([true, 'Failed', THRESHOLD, []]);
      expect(world.release.reason, kinds).toMatch(/^3 failed checks, last: errors is unmeasured: /);
      const alert = world.release.deliveries?.find((one) => one.kind === 'alert' && one.outcome === 'Failed')?.alert;
      expect(alert?.fields, kinds).toContainEqual({ name: 'Verdict', value: 'unmeasured' });
    }
  });
});
