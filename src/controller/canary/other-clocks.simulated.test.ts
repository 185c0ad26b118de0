import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { APP, aModelCanary, type ModelLab } from '../../../test/fakes/model/lab.ts';
import { BROKEN_IMAGE } from '../../../test/fakes/model/nodes.ts';
import { awaitEnd, initializedLab, ordersPlan, stepOf } from '../../../test/fakes/model/released.ts';
import { propertyRuns, propertyTimeoutMs } from '../../../test/fakes/property-runs.ts';
import { raw } from '../../../test/fakes/raw.ts';

vi.setConfig({ testTimeout: 600_000 });

const MINUTE_MS = 60_000;
const INTERVAL_MS = 10_000;
/** Time to start, to measure and to write. */
const SLACK_MS = 4_000;

const weightOf = (lab: ModelLab): number => raw(lab.canary()).status.canaryWeight;
const releaseOf = (lab: ModelLab) => raw(lab.canary()).status.release;

/** An initialized application whose leader's clock is off, in the middle of a release: the canary has its first traffic. */
async function inRelease(aheadMs: number, canary = aModelCanary(ordersPlan)): Promise<ModelLab> {
  const lab = await initializedLab({}, canary);
  replaceLeader(lab, aheadMs);
  await lab.pass(30_000);
  lab.push('2');
  expect(await lab.passUntil(() => stepOf(lab) === 'analysing' && weightOf(lab) > 0, 300_000)).toBe(true);
  return lab;
}

/** The leader is killed, and a process with another clock takes over. */
function replaceLeader(lab: ModelLab, aheadMs: number): void {
  lab.kill();
  lab.aheadMs = aheadMs;
  lab.start();
}

it('E144: a leader whose clock is right checks within one interval after a leader whose clock was five minutes ahead, and rolls a bad version back', async () => {
  const lab = await inRelease(5 * MINUTE_MS);
  expect(releaseOf(lab).clockAheadMs).toBe(5 * MINUTE_MS);
  lab.externalMetric = () => ({ value: 10, afterMs: 0 });
  replaceLeader(lab, 0);
  expect(await lab.passUntil(() => releaseOf(lab).failedChecks === 1, INTERVAL_MS + SLACK_MS)).toBe(true);
  expect(await lab.passUntil(() => lab.phase() === 'Failed', INTERVAL_MS + SLACK_MS)).toBe(true);
  expect(releaseOf(lab)).not.toHaveProperty('clockAheadMs');
});

it('E144: a step is not shorter than its interval after a leader whose clock was five minutes behind', async () => {
  const lab = await inRelease(-5 * MINUTE_MS);
  const weight = weightOf(lab);
  replaceLeader(lab, 0);
  await lab.pass(INTERVAL_MS - 1_000);
  expect(weightOf(lab)).toBe(weight);
  expect(await lab.passUntil(() => weightOf(lab) > weight, SLACK_MS)).toBe(true);
});

it('E144: the progress deadline is not over after a leader whose clock was ten minutes behind', async () => {
  const lab = await initializedLab();
  replaceLeader(lab, -10 * MINUTE_MS);
  await lab.pass(30_000);
  lab.push(BROKEN_IMAGE);
  expect(await lab.passUntil(() => stepOf(lab) === 'scalingUp', 60_000)).toBe(true);
  replaceLeader(lab, 0);
  // Of the sixty seconds of the deadline.
  await lab.pass(50_000);
  expect(lab.phase()).toBe('Progressing');
  expect(await lab.passUntil(() => lab.phase() === 'Failed', 30_000)).toBe(true);
});

it('E144: a leader whose own clock is set back by five minutes checks within one interval', async () => {
  const lab = await inRelease(0);
  lab.externalMetric = () => ({ value: 10, afterMs: 0 });
  lab.setClock(-5 * MINUTE_MS);
  // The alarm of the last interval, and then a whole one.
  expect(await lab.passUntil(() => releaseOf(lab).failedChecks === 1, 2 * INTERVAL_MS + SLACK_MS)).toBe(true);
  expect(await lab.passUntil(() => lab.phase() === 'Failed', INTERVAL_MS + SLACK_MS)).toBe(true);
});

/** A write is stored later than it was decided. */
const LATENCY_MS = 500;

/** Clocks of the leaders one after the other, in seconds ahead, and the time of each in the release. */
const aLife = fc.record({
  leaders: fc.array(
    fc.record({ aheadS: fc.integer({ min: -60, max: 60 }).map((tens) => 10 * tens), forS: fc.integer({ min: 1, max: 60 }) }),
    {
      minLength: 2,
      maxLength: 4,
    },
  ),
  isBad: fc.boolean(),
});

it(
  'E144: under any clocks that are up to ten minutes off, good versions are promoted step by step, bad ones are rolled back, and each interval has its check',
  {
    timeout: propertyTimeoutMs,
  },
  () =>
    fc.assert(
      fc.asyncProperty(aLife, async ({ leaders, isBad }) => {
        const lab = await inRelease((leaders[0]?.aheadS ?? 0) * 1_000, aModelCanary({ ...ordersPlan, stepWeight: 10 }));
        const checkedMs: number[] = [lab.clock.nowMs()];
        lab.externalMetric = () => {
          checkedMs.push(lab.clock.nowMs());
          return { value: isBad ? 10 : 1, afterMs: 0 };
        };
        // The time of the first step is not known.
        const raisedMs = [{ weight: weightOf(lab), atMs: Number.NEGATIVE_INFINITY }];
        const end = lab.server.api.store.subscribe(({ object }) => {
          const weight = object.kind === 'Canary' ? raw(object).status?.canaryWeight : undefined;
          if (weight > (raisedMs.at(-1)?.weight ?? 0)) raisedMs.push({ weight, atMs: lab.clock.nowMs() });
        });
        for (const { aheadS, forS } of leaders.slice(1)) {
          replaceLeader(lab, aheadS * 1_000);
          await lab.pass(forS * 1_000);
        }
        await awaitEnd(lab, isBad ? 'Failed' : 'Succeeded');
        end();
        const gaps = (moments: number[]) => moments.slice(1).map((atMs, index) => atMs - (moments[index] ?? 0));
        // One interval of a leader that was killed, and one of the next.
        expect(Math.max(0, ...gaps(checkedMs))).toBeLessThanOrEqual((leaders.length + 1) * INTERVAL_MS);
        for (const gap of gaps(raisedMs.map(({ atMs }) => atMs))) expect(gap).toBeGreaterThanOrEqual(INTERVAL_MS - LATENCY_MS);
        lab.close();
      }),
      propertyRuns(0.1),
    ),
);

it('I8: a process with another clock writes nothing to an idle Canary', async () => {
  const lab = await inRelease(5 * MINUTE_MS);
  expect(await lab.passUntil(() => lab.phase() === 'Succeeded' && stepOf(lab) === 'resting', 900_000)).toBe(true);
  await lab.pass(30_000);
  for (const aheadMs of [0, -10 * MINUTE_MS, 10 * MINUTE_MS]) {
    replaceLeader(lab, aheadMs);
    await lab.pass(5 * MINUTE_MS);
    expect(lab.writes.filter(({ ref }) => ref.name === APP)).toEqual([]);
  }
});
