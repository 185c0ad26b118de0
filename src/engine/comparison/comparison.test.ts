import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { counting, releasing } from '../../../test/fakes/compared-release.ts';
import { aCanary, type World, withHooks } from '../../../test/fakes/world.ts';
import { explain } from '../explain.ts';
import { comparedMetrics } from './compared-metrics.ts';
import { comparedStates } from './compared-state.ts';
import { harmOf } from './harm.ts';

const announced = (world: World, reason: string): string[] =>
  world.asked.flatMap((one) => (one.kind === 'announce' && one.announcement.reason === reason ? [one.announcement.message] : []));
const polls = (world: World) => world.asked.filter(({ kind }) => kind === 'compare').length;
const evidence = (world: World) => comparedStates(world.release, world.canary)[0]?.known.evidence;
/** Readings of counts of any kind. */
const readings = (world: World) => world.asked.filter((one) => 'compare' in one && one.compare !== undefined).length;
const records = (world: World) => world.asked.filter(({ kind }) => kind === 'record').length;

describe('analysis.comparison', () => {
  it('E120: shares falseAlarm among its metrics', () => {
    const { analysis } = aCanary({
      comparison: { falseAlarm: 0.02, errors: { tolerate: '3x' }, latency: {} },
      metrics: [{ name: 'orders', templateRef: { name: 'orders' }, compare: { atLeast: '5%' } }],
    }).spec;
    expect(
      comparedMetrics(analysis).map(({ name, comparison, latency }) => [
        name,
        comparison.tolerate,
        comparison.atLeast,
        comparison.falseAlarm,
        comparison.metrics,
        latency?.quantile,
      ]),
    ).toEqual([
      ['errors', 3, 0.001, 0.02, 3, undefined],
      ['latency', 1, 0, 0.02, 3, 0.99],
      ['orders', 1.5, 0.05, 0.02, 3, undefined],
    ]);
    expect(comparedMetrics(aCanary().spec.analysis)).toEqual([]);
  });

  it('E121: reads the history once, then one window from the end of the last one, once for each check in shadow mode', () => {
    const world = releasing({ latency: {}, warmUp: '0s' }, { canary: 0, primary: 0, perSecond: 100 });
    for (let tick = 0; tick < 3; tick += 1) world.tick();
    const asked = world.asked.flatMap((one) => (one.kind === 'compare' ? [one.compare] : []));
    const [first, second, third] = asked.map((compare) => compare.find(({ metric }) => metric === 'errors'));
    const from = world.release.measuredFromMs;
    expect([first, second]).toEqual([
      { metric: 'errors', fromMs: from, learnMs: 10_000 },
      { metric: 'errors', fromMs: from },
    ]);
    expect(third?.fromMs).toBe((from ?? 0) + 20_000);
    const checks = world.asked.filter(({ kind }) => kind === 'measure');
    expect([asked.every(({ length }) => length === 2), asked.length]).toEqual([true, checks.length]);
    expect(checks.every((one) => !('compare' in one))).toBe(true);
  });

  it('E123: mode gate rolls back a version that is worse, with both sides in the reason, and no failed check', () => {
    const world = releasing({ mode: 'gate' }, { canary: 0.005, primary: 0.0005, perSecond: 1000 }, {}, 60_000);
    world.tickUntil(({ phase }) => phase === 'Failed');
    expect(world.release.reason).toMatch(
      /^canary 0\.5% errors \(\d+ of [\d,]+\), primary 0\.05% \(\d+ of [\d,]+\): at least [\d.]+ times worse, certainty 99%$/,
    );
    expect([world.release.failedChecks, world.promoted]).toEqual([0, []]);
    expect(world.release.deliveries?.find(({ kind }) => kind === 'alert')?.alert?.severity ?? 'error').toBe('error');
  });

  it('E126: mode shadow promotes the same version, and announces once what a gate would have done', () => {
    const world = releasing({ warmUp: '0s' }, { canary: 0.05, primary: 0.0005, perSecond: 1000 });
    world.tickUntil(({ phase }) => phase === 'Succeeded');
    expect(announced(world, 'ComparedWorse')).toEqual([
      expect.stringMatching(/with comparison\.mode gate it would be rolled back: canary 5% errors/),
    ]);
  });

  it('E123: a version as bad as its primary is promoted, and a primary that fails is reported', () => {
    const world = releasing({ mode: 'gate' }, { canary: 0.2, primary: 0.2, perSecond: 1000 });
    world.tickUntil(({ phase }) => phase === 'Succeeded');
    expect(announced(world, 'PrimaryFailing')).toEqual([expect.stringContaining('The primary itself fails: 20%')]);
  });

  it('E125: between two checks a gate finds a disaster, and writes nothing before that', () => {
    const world = releasing({ mode: 'gate', warmUp: '0s' }, { canary: 0, primary: 0.0005, perSecond: 100 }, {}, 60_000);
    world.tick();
    const [before, since] = [records(world), world.nowMs];
    counting(world, { canary: 1, primary: 0.0005, perSecond: 100 });
    for (let tick = 0; world.phase === 'Progressing' && tick < 11; tick += 1) {
      expect(records(world)).toBe(before);
      world.tick(5_000);
    }
    expect(world.phase).toBe('Failed');
    expect(world.nowMs - since).toBeLessThanOrEqual(30_000);
  });

  it('E125: polls nothing between checks in shadow mode, while paused, or after the analysis', () => {
    const shadow = releasing({}, { canary: 0, primary: 0, perSecond: 100 }, {}, 60_000);
    const atStart = polls(shadow);
    for (let tick = 0; tick < 11; tick += 1) shadow.tick(5_000);
    expect(polls(shadow)).toBe(atStart);
    const gate = releasing({ mode: 'gate' }, { canary: 0, primary: 0, perSecond: 100 }, {}, 60_000);
    gate.tick(5_000);
    gate.tick(5_000);
    const seen = polls(gate);
    expect(seen).toBeGreaterThan(0);
    gate.ask('pause', 'p');
    for (let tick = 0; tick < 5; tick += 1) gate.tick(5_000);
    expect(polls(gate)).toBe(seen);
  });

  it('E124: pace evidence takes no step before the canary is shown to be fine, and reports the expected time', () => {
    const world = releasing({ mode: 'gate', pace: 'evidence' }, { canary: 0.001, primary: 0.001, perSecond: 100 });
    for (let tick = 0; tick < 6; tick += 1) world.tick();
    expect(world.canary.status?.canaryWeight).toBe(10);
    expect(explain(world.canary, world.facts())).toMatch(
      /errors are compared with the primary: about \d+ more (minutes|hours) at this traffic/,
    );
    world.tickUntil(({ phase }) => phase === 'Succeeded', 2000);
    expect(comparedStates(world.release, world.canary)[0]?.judgement.verdict).toBe('fine');
  });

  it('E124: after maxStepDuration a step is taken without evidence', () => {
    const world = releasing({ mode: 'gate', pace: 'evidence', maxStepDuration: '2m' }, { canary: 0, primary: 0, perSecond: 0.05 });
    const since = world.nowMs;
    world.tickUntil((one) => one.canary.status?.canaryWeight === 20);
    expect(world.nowMs - since).toBeGreaterThanOrEqual(120_000);
    world.tickUntil(({ phase }) => phase === 'Succeeded');
  });

  it('E122: a controller that dies continues from the record, and no request is counted twice', () => {
    const [steady, killed] = [0, 1].map(() =>
      releasing({ mode: 'shadow' }, { canary: 0.01, primary: 0.01, perSecond: 100 }, { maxWeight: 10, stepWeight: 1 }),
    ) as [World, World];
    for (let tick = 0; tick < 5; tick += 1) {
      steady.tick();
      killed.crash();
      killed.settle();
      killed.tick();
    }
    const counted = (world: World) => comparedStates(world.release, world.canary)[0]?.known.evidence;
    const { untilMs = 0, canary } = counted(killed) ?? {};
    const warmUpMs = 30_000;
    expect(canary?.requests).toBeLessThanOrEqual((10 * (untilMs - (killed.release.measuredFromMs ?? 0))) / 1000);
    expect(canary?.requests).toBeGreaterThan((10 * (untilMs - (killed.release.measuredFromMs ?? 0) - warmUpMs - 10_000)) / 1000);
    expect(counted(steady)?.canary.requests).toBeGreaterThan(0);
  });

  it('E122: counts that cannot be read change only the reason, and a newer revision starts over', () => {
    const world = releasing({ mode: 'gate', pace: 'evidence' }, { canary: 0, primary: 0, perSecond: 1 });
    world.behaviour.compare = () => ({ kind: 'unknown', reason: 'Prometheus answered 503' });
    const before = comparedStates(world.release, world.canary)[0]?.known.evidence;
    world.tick();
    world.tick();
    expect(comparedStates(world.release, world.canary)[0]?.known).toMatchObject({ evidence: before, problem: 'Prometheus answered 503' });
    expect(explain(world.canary, world.facts())).toContain('errors cannot be compared with the primary: Prometheus answered 503');
    world.push('s1:c');
    expect(world.release.comparison).toBeUndefined();
  });

  it('I16: a forged record starts over', () => {
    const world = releasing({ mode: 'gate' }, { canary: 0, primary: 0, perSecond: 1 });
    for (const made of [
      { evidence: 1 },
      { limits: 'x' },
      { limits: '{"tolerate":1.5,"atLeast":0.001}', evidence: { support: [] }, learned: true },
    ])
      expect(harmOf({ ...world.release, comparison: { errors: made } }, world.canary)).toBeUndefined();
  });

  it('decides nothing in shadow mode: with any counts, also late ones, the release proceeds as without a comparison', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    const plain = releasing({}, { canary: 0, primary: 0, perSecond: 0 });
    plain.tickUntil(({ phase }) => phase === 'Succeeded');
    const aMinute = fc.record({
      canary: share,
      primary: share,
      perSecond: fc.nat(10_000),
      answers: fc.constantFrom('at once', 'late', 'unknown'),
      /** Milliseconds until a late answer comes between two checks. */
      comesAfterMs: fc.option(fc.integer({ min: 1, max: 9_000 })),
    });
    fc.assert(
      fc.property(fc.array(aMinute, { minLength: 1, maxLength: 8 }), (minutes) => {
        const world = releasing({ pace: 'evidence', latency: {} }, { canary: 0, primary: 0, perSecond: 0 });
        for (const { answers, comesAfterMs, ...traffic } of minutes) {
          counting(world, traffic);
          world.countsAreLate = answers === 'late';
          if (answers === 'unknown') world.behaviour.compare = () => ({ kind: 'unknown', reason: 'no answer' });
          if (world.phase !== 'Progressing') continue;
          world.tick();
          if (comesAfterMs === null || world.wakeAtMs === undefined || world.phase !== 'Progressing') continue;
          const dueMs = world.wakeAtMs;
          world.countsAreLate = false;
          world.nowMs += comesAfterMs;
          world.settle();
          world.tick(dueMs - world.nowMs);
        }
        world.tickUntil(({ phase }) => phase === 'Succeeded');
        expect(world.trace).toEqual(plain.trace);
        expect(world.nowMs).toBe(plain.nowMs);
        expect(readings(world)).toBeLessThanOrEqual(world.asked.filter(({ kind }) => kind === 'measure').length);
        for (const one of world.asked) if ('compare' in one) expect(one.compare?.length ?? 0).toBeLessThanOrEqual(2);
      }),
      { numRuns: 60 },
    );
  });

  it('E121: in shadow mode a late answer counts when it comes, and no request is counted twice or lost', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 2, maxLength: 12 }), (late) => {
        const world = releasing({ warmUp: '0s' }, { canary: 0.01, primary: 0.01, perSecond: 100 }, withHooks('confirm-promotion'));
        world.behaviour.hooks = { 'confirm-promotion': 'refused' };
        for (const isLate of late) {
          world.countsAreLate = isLate;
          world.tick();
        }
        world.countsAreLate = false;
        world.settle();
        world.tick();
        const { untilMs = 0, canary } = comparedStates(world.release, world.canary)[0]?.known.evidence ?? {};
        expect(untilMs).toBe(world.nowMs);
        expect(canary?.requests).toBeCloseTo((10 * (untilMs - (world.release.measuredFromMs ?? 0))) / 1000);
      }),
      { numRuns: 40 },
    );
  });

  it('E121: counts that come after a newer revision was pushed do not count for it', () => {
    const world = releasing({ warmUp: '0s' }, { canary: 0.3, primary: 0.001, perSecond: 1000 });
    world.tick();
    world.countsAreLate = true;
    world.tick();
    world.push('s1:c');
    world.countsAreLate = false;
    world.settle();
    expect([world.release.revision, world.release.comparison]).toEqual(['s1:c', undefined]);
  });

  it.each(['promoted', 'rolledBack'])(
    'E121, E126: counts of the last check that come when the release is being %s are recorded and announced once',
    (how) => {
      const world = releasing({ warmUp: '0s' }, { canary: 0.3, primary: 0.001, perSecond: 1000 }, { threshold: 1, maxWeight: 40 }, 60_000);
      const isOver = () => world.phase !== 'Progressing';
      // A history, then two of the three windows that a decision needs.
      for (let tick = 0; tick < 3; tick += 1) world.tick();
      world.behaviour.verdicts = how === 'promoted' ? [] : [{ check: 'rate', verdict: 'failed', reason: 'why' }];
      world.countsAreLate = true;
      for (let tick = 0; tick < 5 && !isOver(); tick += 1) world.tick();
      expect([evidence(world)?.windows, isOver(), announced(world, 'ComparedWorse')]).toEqual([2, true, []]);
      world.countsAreLate = false;
      world.settle();
      world.tickUntil(({ step }) => step === 'resting');
      world.settle();
      expect(announced(world, 'ComparedWorse')).toHaveLength(1);
      const { release } = world.canary.status ?? {};
      expect(release && comparedStates(release, world.canary)[0]?.judgement.verdict).toBe('bad');
    },
  );
});
