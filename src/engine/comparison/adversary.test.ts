import { describe, expect, it } from 'vitest';
import { counting, releasing, type Traffic } from '../../../test/fakes/compared-release.ts';
import { type World, withHooks } from '../../../test/fakes/world.ts';
import type { AnalysisComparison } from '../../api/comparison.ts';
import type { ToCompare } from '../../judge/compared.ts';
import { comparedMetrics } from './compared-metrics.ts';
import { comparedStates } from './compared-state.ts';

const bad: Traffic = { canary: 0.3, primary: 0.0005, perSecond: 100 };
const good: Traffic = { canary: 0.0005, primary: 0.0005, perSecond: 100 };
const MINUTE_MS = 60_000;

const polls = (world: World) => world.asked.filter(({ kind }) => kind === 'compare').length;
const evidence = (world: World) => comparedStates(world.release, world.canary)[0]?.known.evidence;
const compared = (name: string) => ({ name, templateRef: { name }, compare: { atLeast: '5%' } });

/** A restarted controller finds this in the status or spec. */
function edited(world: World, change: (canary: World['canary']) => World['canary']): void {
  world.canary = change(world.canary);
  world.crash();
  world.settle();
}

function withComparison(world: World, comparison: AnalysisComparison): void {
  edited(world, ({ spec, ...canary }) => ({ ...canary, spec: { ...spec, analysis: { ...spec.analysis, comparison } } }));
}

describe('analysis.comparison under attack', () => {
  it.each(['errors', 'latency', '__proto__'])('E120: a metric called %s hides nothing that is compared anyway', (name) => {
    const world = releasing({ mode: 'gate', warmUp: '0s', latency: {} }, good, { metrics: [compared(name)] });
    expect(comparedMetrics(world.canary.spec.analysis).map((one) => one.name)).toEqual(['errors', 'latency']);
    counting(world, bad);
    world.tickUntil(({ phase }) => phase === 'Failed', 10);
  });

  it('E120: of a hundred metrics with compare eight are compared, each name once', () => {
    const names = Array.from({ length: 50 }, (_, index) => `m${index}`);
    const { analysis } = releasing({}, good, { metrics: [...names, ...names].map(compared) }).canary.spec;
    expect(comparedMetrics(analysis).map((one) => one.name)).toEqual(['errors', ...names.slice(0, 8)]);
  });

  it('E122: a check every ten minutes counts all requests after the warm-up, and not only those of its first two intervals', () => {
    const world = releasing({}, good, {}, 10 * MINUTE_MS);
    world.tick();
    world.tick();
    expect(evidence(world)).toMatchObject({ windows: 1, skipped: { warmUp: 0 } });
    expect(evidence(world)?.canary.requests).toBeCloseTo(10 * (1200 - 25));
  });

  it('E122: a backend that shows samples 30 s late gives counts, though every check sees nothing new', () => {
    const world = releasing({ warmUp: '0s' }, good);
    const counted = world.behaviour.compare;
    world.behaviour.compare = (asked, nowMs) => {
      const shown = (ms: number) => Math.min(ms, nowMs - 30_000);
      const one = counted({ ...asked, fromMs: shown(asked.fromMs) }, shown(nowMs));
      return one.kind === 'window' ? { ...one, window: { ...one.window, fromMs: asked.fromMs, toMs: nowMs } } : one;
    };
    for (let tick = 0; tick < 4; tick += 1) world.tick();
    expect(world.step).toBe('analysing');
    world.tick();
    expect(evidence(world)?.windows).toBe(1);
  });

  it.each<AnalysisComparison>([{ warmUp: '0s' }, { mode: 'gate', warmUp: '0s' }])(
    'E122: two sides that are scraped once a minute, half a minute apart, are compared by checks every ten seconds: %o',
    (comparison) => {
      const world = releasing(comparison, good, withHooks('confirm-promotion'));
      world.behaviour.hooks = { 'confirm-promotion': 'refused' };
      const counted = world.behaviour.compare;
      world.behaviour.compare = (asked, nowMs) => {
        const one = counted(asked, nowMs);
        if (one.kind !== 'window') return one;
        const since = (afterMs: number) => {
          const lastScrape = (ms: number) => Math.floor((ms - afterMs) / MINUTE_MS) * MINUTE_MS + afterMs;
          return counted({ ...asked, fromMs: lastScrape(asked.fromMs) }, lastScrape(nowMs));
        };
        const [canary, primary] = [since(5_000), since(35_000)];
        if (canary.kind !== 'window' || primary.kind !== 'window') return one;
        return { ...one, window: { ...one.window, canary: canary.window.canary, primary: primary.window.primary } };
      };
      for (let tick = 0; tick < 120; tick += 1) world.tick(5_000);
      expect(evidence(world)?.windows).toBeGreaterThanOrEqual(8);
      expect(evidence(world)?.skipped).toMatchObject({ noCanary: 0, noPrimary: 0 });
    },
  );

  it('E122: a window that can never count the canary is closed by the next poll, so that the following one counts it', () => {
    const world = releasing({ mode: 'gate', warmUp: '0s' }, good, {}, MINUTE_MS);
    const counted = world.behaviour.compare;
    // The canary's counters are first scraped 20 s after the begin.
    const scrapedMs = world.nowMs + 20_000;
    world.behaviour.compare = (asked, nowMs) => {
      const one = counted(asked, nowMs);
      if (one.kind !== 'window' || asked.fromMs >= scrapedMs) return one;
      return { ...one, window: { ...one.window, canary: { requests: 0, failures: 0 } }, ...(nowMs >= scrapedMs && { isFinal: true }) };
    };
    for (let tick = 0; tick < 12; tick += 1) world.tick(5_000);
    expect(evidence(world)?.skipped.noCanary).toBe(1);
    expect(evidence(world)?.canary.requests).toBeGreaterThan(10 * 25);
  });

  it('E122: a window begins with the sample that the last one ended with, also after a restart of the controller', () => {
    const world = releasing({ mode: 'gate', warmUp: '0s' }, good);
    const counted = world.behaviour.compare;
    const asked: ToCompare[] = [];
    let endsAtSample = true;
    world.behaviour.compare = (one, nowMs) => {
      asked.push(one);
      const read = counted(one, nowMs);
      return read.kind === 'window' && endsAtSample ? { ...read, endsAtSample } : read;
    };
    world.tick();
    world.tick();
    world.crash();
    world.settle();
    world.tick();
    endsAtSample = false;
    world.tick();
    world.tick();
    const windows = asked.filter(({ learnMs }) => learnMs === undefined);
    expect(windows.map(({ fromSample }) => fromSample)).toEqual([undefined, ...windows.slice(1, -1).map(() => true), undefined]);
    expect(windows.length).toBeGreaterThanOrEqual(4);
  });

  it('E122: a window without any request is closed after five minutes, so that no query becomes longer and longer', () => {
    const world = releasing({ warmUp: '0s' }, { ...good, perSecond: 0 }, { ...withHooks('confirm-promotion') }, MINUTE_MS);
    world.behaviour.hooks = { 'confirm-promotion': 'refused' };
    for (let tick = 0; tick < 60; tick += 1) world.tick();
    const asked = world.asked.flatMap((one) => (one.kind === 'compare' ? one.compare : []));
    expect(world.nowMs - (asked.at(-1)?.fromMs ?? 0)).toBeLessThanOrEqual(5 * MINUTE_MS);
    expect(evidence(world)?.skipped.noCanary).toBeGreaterThan(10);
  });

  it('E124: a window without requests of the canary does not count for this step', () => {
    const world = releasing({ mode: 'gate', pace: 'evidence' }, { ...good, perSecond: 10_000 });
    world.tickUntil((one) => one.canary.status?.canaryWeight === 20, 200);
    const counted = world.behaviour.compare;
    world.behaviour.compare = (asked, nowMs) => {
      const one = counted(asked, nowMs);
      return one.kind === 'window' ? { ...one, window: { ...one.window, canary: { requests: 0, failures: 0 } } } : one;
    };
    for (let tick = 0; tick < 10; tick += 1) world.tick(10_000);
    expect(comparedStates(world.release, world.canary)[0]?.judgement.verdict).toBe('fine');
    expect(world.canary.status?.canaryWeight).toBe(20);
  });

  it('E124: at 100% a step waits for requests of the canary, and not until the window without the primary is closed', () => {
    const world = releasing(
      { mode: 'gate', pace: 'evidence', warmUp: '0s' },
      { ...good, perSecond: 10_000 },
      { stepWeight: 10, maxWeight: 100, ...withHooks('confirm-promotion') },
    );
    world.behaviour.hooks = { 'confirm-promotion': 'refused' };
    world.tickUntil((one) => one.canary.status?.canaryWeight === 100, 200);
    const sinceMs = world.nowMs;
    const counted = world.behaviour.compare;
    world.behaviour.compare = (asked, nowMs) => {
      const one = counted(asked, nowMs);
      return one.kind === 'window' ? { ...one, window: { ...one.window, primary: { requests: 0, failures: 0 } } } : one;
    };
    world.tickUntil(({ phase }) => phase === 'WaitingPromotion', 100);
    expect(world.nowMs - sinceMs).toBeLessThanOrEqual(30_000);
  });

  it('E125: polls nothing while the Canary is blocked', () => {
    const world = releasing({ mode: 'gate', warmUp: '0s' }, good, {}, MINUTE_MS);
    world.tick(5_000);
    world.behaviour.blocker = 'no';
    world.tick(5_000);
    const seen = polls(world);
    expect(seen).toBeGreaterThan(0);
    for (let tick = 0; tick < 8; tick += 1) world.tick(5_000);
    expect(polls(world)).toBe(seen);
  });

  it('E125: a poll without an answer is not repeated', () => {
    const world = releasing({ mode: 'gate', warmUp: '0s' }, good, {}, MINUTE_MS);
    const seen = polls(world);
    for (let second = 0; second < 50; second += 1) {
      world.nowMs += 1000;
      world.send({ type: 'WAKE', facts: world.facts() });
      world.sendFacts();
    }
    expect(polls(world)).toBe(seen + 1);
  });

  it('E125: a history that could not be read is queried by the checks, and not by each poll', () => {
    const world = releasing({ mode: 'gate', warmUp: '0s' }, good, {}, MINUTE_MS);
    world.behaviour.compare = () => ({ kind: 'unknown', reason: 'Prometheus answered 503' });
    for (let tick = 0; tick < 48; tick += 1) world.tick(5_000);
    const asked = world.asked.filter((one) => (one.kind === 'compare' || one.kind === 'measure') && one.compare?.length);
    expect(polls(world)).toBe(1);
    expect(asked.length).toBeGreaterThan(3);
  });

  it('E125: a canary that gets worse behind a closed gate is rolled back', () => {
    const world = releasing({ mode: 'gate', warmUp: '0s' }, good, { maxWeight: 10, ...withHooks('confirm-promotion') }, MINUTE_MS);
    world.behaviour.hooks = { 'confirm-promotion': 'refused' };
    world.tickUntil(({ phase }) => phase === 'WaitingPromotion');
    counting(world, bad);
    world.tickUntil(({ phase }) => phase === 'Failed', 1_000);
  });

  it.each([0.3, 1])('E123: a canary that is good for two minutes and then fails %d of its requests is not promoted', (share) => {
    const world = releasing({ mode: 'gate', warmUp: '0s' }, good, {}, MINUTE_MS);
    for (let tick = 0; tick < 24; tick += 1) world.tick(5_000);
    counting(world, { ...good, canary: share });
    for (let tick = 0; tick < 100 && world.phase === 'Progressing'; tick += 1) world.tick(5_000);
    expect(world.phase).toBe('Failed');
  });

  it('E122: after an edit of the limits counts begin with the edit, and a canary that breaks then is found', () => {
    const world = releasing({ mode: 'gate', warmUp: '0s' }, good, withHooks('confirm-promotion'), MINUTE_MS);
    world.behaviour.hooks = { 'confirm-promotion': 'refused' };
    const counted = world.behaviour.compare;
    let isBroken = false;
    const changesMs = world.nowMs + 20 * MINUTE_MS;
    // From here on the canary has half of the traffic, and a service behind both fails one request in ten.
    world.behaviour.compare = (asked, nowMs) => {
      const one = counted(asked, nowMs);
      if (one.kind !== 'window') return one;
      const [early, late] = [
        Math.max(0, Math.min(nowMs, changesMs) - asked.fromMs),
        Math.max(0, nowMs - Math.max(asked.fromMs, changesMs)),
      ];
      const side = (before: number, after: number, share: number) => ({
        requests: (before * early + after * late) / 1000,
        failures: (before * early * 0.0005 + after * late * share) / 1000,
      });
      return { ...one, window: { ...one.window, canary: side(10, 50, isBroken ? 0.5 : 0.1), primary: side(90, 50, 0.1) } };
    };
    for (let tick = 0; tick < 12 * 40; tick += 1) world.tick(5_000);
    expect(world.phase).toBe('WaitingPromotion');
    withComparison(world, { mode: 'gate', warmUp: '0s', errors: { tolerate: '2x' } });
    world.tick(5_000);
    world.tick(5_000);
    expect(world.phase).toBe('WaitingPromotion');
    isBroken = true;
    for (let tick = 0; tick < 12 * 10 && world.phase === 'WaitingPromotion'; tick += 1) world.tick(5_000);
    expect(world.phase).toBe('Failed');
    expect(evidence(world)?.canary.requests).toBeLessThan(50 * 700);
  });

  it('E123: evidence of shadow mode counts as soon as the mode is gate', () => {
    const world = releasing({ warmUp: '0s' }, bad, withHooks('confirm-promotion'), MINUTE_MS);
    world.behaviour.hooks = { 'confirm-promotion': 'refused' };
    world.tickUntil(({ phase }) => phase === 'WaitingPromotion');
    const before = evidence(world);
    world.behaviour.hooks = {};
    world.behaviour.compare = () => ({ kind: 'unknown', reason: 'no answer' });
    withComparison(world, { warmUp: '0s', mode: 'gate' });
    world.tick(5_000);
    expect([world.phase, evidence(world)]).toEqual(['Failed', before]);
  });

  it('I16: records of metrics that are not compared are not kept', () => {
    const world = releasing({ mode: 'gate', warmUp: '0s' }, good);
    const comparison = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`m${index}`, { made: 'x'.repeat(1_000) }]));
    edited(world, ({ status, ...canary }) => ({
      ...canary,
      ...(status?.release && { status: { ...status, release: { ...status.release, comparison } } }),
    }));
    world.tick();
    world.tick();
    expect(Object.keys(world.release.comparison ?? {})).toEqual(['errors']);
  });
});
