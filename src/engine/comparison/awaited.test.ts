import { describe, expect, it } from 'vitest';
import { counting, releasing, type Traffic } from '../../../test/fakes/compared-release.ts';
import { type World, withHooks } from '../../../test/fakes/world.ts';
import type { Canary } from '../../api/canary.ts';
import type { AnalysisComparison } from '../../api/comparison.ts';
import { timestamp } from '../../base/timestamp.ts';
import { explain } from '../explain.ts';
import { answeredPoll } from '../polls.ts';
import { projectStatus } from '../project-status.ts';
import { comparedStates } from './compared-state.ts';

const slow = { canary: 0.001, primary: 0.001, perSecond: 100 };
const gate = { mode: 'gate', pace: 'evidence', maxStepDuration: '10m' } as const;

function said(world: ReturnType<typeof releasing>) {
  const { status } = world.canary;
  if (!status?.release) throw new Error('nothing is recorded');
  return projectStatus(world.canary, status.phase, status.release, world.facts()).release;
}

describe('a step that waits for evidence', () => {
  it('D13: is blocked by the metric until maxStepDuration has passed, and queries it again at the next check', () => {
    const world = releasing(gate, slow);
    const untilMs = (world.release.weights?.at(-1)?.atMs ?? 0) + 600_000;
    expect(said(world)).not.toHaveProperty('blockers');
    for (let tick = 0; tick < 6; tick += 1) world.tick();
    const { blockers, dueMs } = said(world) ?? {};
    expect(blockers).toMatchObject([{ code: 'InsufficientEvidence', metric: 'errors', until: timestamp(untilMs) }]);
    expect(dueMs).toBe(world.release.wakeAtMs);
    expect(explain(world.canary, world.facts())).toMatch(
      new RegExp(
        `^Stays at 10% until the comparison .* goes on without that at ${timestamp(untilMs)}\\. The next check is at ${timestamp(dueMs ?? 0)} \\(`,
      ),
    );
    world.tickUntil((one) => one.canary.status?.canaryWeight === 20, 300);
    expect(said(world)).not.toHaveProperty('blockers');
  });

  it('D13: is blocked by a failing check instead, once a check fails', () => {
    const world = releasing(gate, slow, { threshold: 50 });
    for (let tick = 0; tick < 6; tick += 1) world.tick();
    world.behaviour.verdicts = [{ check: 'orders', verdict: 'failed', reason: 'why' }];
    world.tickUntil(({ release }) => release.failedChecks > 0);
    expect(said(world)?.blockers).toMatchObject([{ code: 'CheckFailed' }]);
  });

  it('D13: also has a next check while it waits for its promotion', () => {
    const world = releasing({ ...gate, maxStepDuration: '24h' }, slow, {
      stepWeight: 10,
      maxWeight: 10,
      ...withHooks('confirm-promotion'),
    });
    world.behaviour.hooks = { 'confirm-promotion': 'refused' };
    world.tickUntil(({ phase, step }) => phase === 'WaitingPromotion' && step === 'analysing', 2000);
    expect(said(world)).not.toHaveProperty('dueMs');
    counting(world, { canary: 0.0018, primary: 0.001, perSecond: 100 });
    world.tickUntil(({ release }) => release.awaitedEvidence !== undefined, 2000);
    expect(said(world)?.dueMs).toBe(world.release.wakeAtMs);
    expect(explain(world.canary, world.facts())).toContain(`. The next check is at ${timestamp(said(world)?.dueMs ?? 0)}`);
  });
});

const MINUTE_MS = 60_000;
const evidenceOf = (world: World) => comparedStates(world.release, world.canary).map(({ judgement }) => judgement.verdict);
const asked = (world: World, kind: string) => world.asked.filter((one) => one.kind === kind).length;

/** Begins at 10%, with a check every minute and a poll every five seconds; each check calls a webhook. */
function soaking(comparison: AnalysisComparison, traffic: Traffic, analysis: Partial<Canary['spec']['analysis']> = {}): World {
  return releasing({ ...gate, warmUp: '0s', ...comparison }, traffic, { ...withHooks('rollout'), ...analysis }, MINUTE_MS);
}

/** Polls until the condition holds; returns the time that it took. */
function pollUntil(world: World, isDone: () => boolean): number {
  const sinceMs = world.nowMs;
  for (let tick = 0; tick < 500 && !isDone(); tick += 1) world.tick(5_000);
  expect(isDone()).toBe(true);
  return world.nowMs - sinceMs;
}

const good: Traffic = { canary: 0.001, primary: 0.001, perSecond: 2_000 };

describe('E124: a step that waits for evidence, when a poll shows the evidence', () => {
  const weight = (world: World) => world.canary.status?.canaryWeight;

  it('is taken by a check at that moment, with all metrics and webhooks', () => {
    const world = soaking({}, good);
    world.tickUntil(({ release }) => release.awaitedEvidence === 'errors');
    const before = [asked(world, 'measure'), asked(world, 'runHooks')];
    const tookMs = pollUntil(world, () => weight(world) === 20);
    expect(evidenceOf(world)).toEqual(['fine']);
    expect(tookMs % MINUTE_MS).not.toBe(0);
    const checks = Math.floor(tookMs / MINUTE_MS) + 1;
    expect([asked(world, 'measure'), asked(world, 'runHooks')]).toEqual(before.map((count) => count + checks));
  });

  it('has lasted at least one interval, like each step of the release', () => {
    const world = soaking({}, good);
    pollUntil(world, () => world.phase === 'Succeeded');
    const steps = (world.release.weights ?? []).filter((one) => one.weight > 0);
    expect(steps.length).toBe(5);
    for (const [index, { atMs }] of steps.entries())
      if (index > 0) expect(atMs - (steps[index - 1]?.atMs ?? 0)).toBeGreaterThanOrEqual(MINUTE_MS);
  });

  it('is not taken when that check fails, which is then repeated after an interval and not after each poll', () => {
    const [twin, world] = [soaking({}, good), soaking({}, good)];
    for (const one of [twin, world]) one.tickUntil(({ release }) => release.awaitedEvidence === 'errors');
    const tookMs = pollUntil(twin, () => weight(twin) === 20);
    for (let ms = 5_000; ms < tookMs; ms += 5_000) world.tick(5_000);
    world.behaviour.verdicts = [{ check: 'orders', verdict: 'failed', reason: 'why' }];
    world.tick(5_000);
    const [failedChecks, checks] = [world.release.failedChecks, asked(world, 'measure')];
    expect([failedChecks, weight(world)]).toEqual([1, 10]);
    for (let tick = 0; tick < 10; tick += 1) world.tick(5_000);
    expect(asked(world, 'measure')).toBe(checks);
    world.tick(10_000);
    expect([asked(world, 'measure'), world.release.failedChecks]).toEqual([checks + 1, 2]);
  });

  it('is taken at maxStepDuration, also between two checks', () => {
    const world = soaking({ maxStepDuration: '90s' }, { canary: 0, primary: 0, perSecond: 1 });
    const { stepStartedMs } = world.release;
    pollUntil(world, () => weight(world) === 20);
    expect(world.nowMs - stepStartedMs).toBe(90_000);
  });

  it('waits for its check if another metric is awaited, which polls do not read', () => {
    const world = soaking({ latency: {} }, good);
    const counted = world.behaviour.compare;
    world.behaviour.compare = (one, nowMs) => (one.metric === 'latency' ? { kind: 'unknown', reason: 'no answer' } : counted(one, nowMs));
    world.tickUntil(({ release }) => release.awaitedEvidence === 'errors');
    const checks = asked(world, 'measure');
    const tookMs = pollUntil(world, () => evidenceOf(world)[0] === 'fine');
    expect(tookMs % MINUTE_MS).not.toBe(0);
    for (let ms = tookMs % MINUTE_MS; ms < MINUTE_MS; ms += 5_000) world.tick(5_000);
    expect([evidenceOf(world), weight(world)]).toEqual([['fine', 'undecided'], 10]);
    expect(asked(world, 'measure') - checks).toBe(Math.ceil(tookMs / MINUTE_MS));
  });

  it('is taken by the next check if the comparison is switched to shadow, for any counts before it', () => {
    const world = soaking({}, good);
    world.tickUntil(({ release }) => release.awaitedEvidence === 'errors');
    const { spec } = world.canary;
    world.canary = { ...world.canary, spec: { ...spec, analysis: { ...spec.analysis, comparison: { mode: 'shadow', warmUp: '0s' } } } };
    world.crash();
    world.settle();
    const dueMs = world.wakeAtMs;
    pollUntil(world, () => weight(world) === 20);
    expect(world.release.stepStartedMs).toBe(dueMs);
  });

  it.each([
    { what: 'a poll of a gate', name: 'comparing', mode: 'gate', isDue: true },
    { what: 'a reading of a shadow', name: 'comparing', mode: 'shadow', isDue: false },
    { what: 'a rollback hook', name: 'rollback', mode: 'gate', isDue: false },
  ] as const)('has its check brought forward by $what: $isDue', ({ name, mode, isDue }) => {
    const world = soaking({ maxStepDuration: '90s' }, { canary: 0, primary: 0, perSecond: 1 });
    world.tickUntil(({ release }) => release.awaitedEvidence === 'errors');
    world.nowMs = world.release.stepStartedMs + 90_000;
    const { spec } = world.canary;
    world.canary = {
      ...world.canary,
      spec: { ...spec, analysis: { ...spec.analysis, comparison: { ...spec.analysis.comparison, mode } } },
    };
    const facts = world.facts();
    const answer = { kind: 'compare', id: 'q', compared: [] } as const;
    const context = { ...world.snapshot.context, [name]: { run: world.release.run, open: 'q' } };
    const { wakeAtMs } = answeredPoll(name, { context, event: { type: 'ANSWER', facts, answer } });
    expect(wakeAtMs).toBe(isDue ? world.nowMs : context.wakeAtMs);
    expect(context.wakeAtMs).toBeGreaterThan(world.nowMs);
  });
});
