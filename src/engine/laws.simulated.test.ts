import fc from 'fast-check';
import { expect, it as test } from 'vitest';
import { propertyRuns, propertyTimeoutMs } from '../../test/fakes/property-runs.ts';
import {
  aLife,
  blockersAfter,
  deadlineMs,
  INTERVAL_MS,
  type Life,
  lived,
  type Recorded,
  type Step,
  waitOf,
} from '../../test/fakes/recorded-life.ts';
import { blockerText } from '../api/blocker-text.ts';
import type { Canary } from '../api/canary.ts';
import type { Release } from '../api/canary-status.ts';
import { actors } from '../api/codes/code.ts';
import { codes } from '../api/codes/list.ts';
import { parseDuration } from '../api/duration.ts';
import type { Phase } from '../api/phase.ts';
import { reachesCanary } from '../api/routes.ts';

type Check = (life: Life) => void;

const laws = new Map<string, Check>();
let broken: Map<string, unknown> | undefined;

/** A law about every life. All laws are checked together; a broken law is then searched again by itself, for its smallest counterexample. */
function law(title: string, check: Check): void {
  laws.set(title, check);
  test(title, { timeout: propertyTimeoutMs }, () => {
    broken ??= brokenLaws();
    if (!broken.has(title)) return;
    fc.assert(
      fc.property(aLife, (one) => check(lived(one))),
      propertyRuns(),
    );
    throw broken.get(title);
  });
}

function brokenLaws(): Map<string, unknown> {
  const found = new Map<string, unknown>();
  fc.assert(
    fc.property(aLife, (one) => {
      const life = lived(one);
      for (const [title, check] of laws) {
        if (found.has(title)) continue;
        try {
          check(life);
        } catch (error) {
          found.set(title, error);
        }
      }
    }),
    propertyRuns(),
  );
  return found;
}

const ofOneRun = ({ records }: Life): Recorded[] =>
  records.filter(
    ({ before, release }) => release.run > 0 && before.release.run === release.run && before.release.revision === release.revision,
  );
const isAnalysed = (phase: Phase): boolean => phase === 'Progressing' || phase === 'WaitingPromotion';
const at = ({ event: { facts } }: { event: Step['event'] }): number => facts.nowMs;
const thresholdOf = ({ spec }: Canary): number => Math.max(1, spec.analysis.threshold);

law('L1: no count of a run ever decreases, and a run begins at 0', (life) => {
  for (const { before, release } of life.records) {
    expect(release.run).toBeGreaterThanOrEqual(before.release.run);
    if (release.run > before.release.run) expect([release.failedChecks, release.iterations, release.failures ?? {}]).toEqual([0, 0, {}]);
  }
  for (const { before, phase, release } of ofOneRun(life)) {
    expect(release.failedChecks, 'failedChecks').toBeGreaterThanOrEqual(before.release.failedChecks);
    if (phase !== 'Succeeded') expect(release.iterations, 'iterations').toBeGreaterThanOrEqual(before.release.iterations);
    for (const [metric, count] of Object.entries(before.release.failures ?? {}))
      expect(release.failures?.[metric], `failures of ${metric}`).toBeGreaterThanOrEqual(count);
  }
});

law('L2: a run takes the steps of its plan one after another, and is promoted after the last one', (life) => {
  const plan = planOf(life.canary);
  for (const { before, phase, release, event } of ofOneRun(life)) {
    if (!isAnalysed(before.phase) || release.heldRoutes !== undefined) continue;
    const from = placeIn(plan, before.release);
    if (phase === 'Promoting') {
      if (event.type !== 'REQUEST' && event.facts.canary.spec.skipAnalysis !== true && !isRequested(before.release, release))
        expect(from, `promoted after ${plan[from]} of ${plan}`).toBe(plan.length - 1);
    } else if (isAnalysed(phase)) {
      const to = placeIn(plan, release);
      if (before.release.heldRoutes !== undefined && reachesCanary(release.routes))
        expect(release.routes).toEqual(before.release.heldRoutes);
      else if (to > from) expect(to, `${plan[to]} of ${plan} after ${plan[from]}`).toBe(from + 1);
    }
  }
});

/** A second implementation: the weights and iterations of a spec, in their order. */
function planOf({ spec: { analysis } }: Canary): string[] {
  const { stepWeight = 0, stepWeights = [], maxWeight = 100, iterations = 0, match, mirror } = analysis;
  if (iterations > 0) return [...Array.from({ length: iterations }, (_, index) => `#${index + 1}`), ...(match ? [] : ['100'])];
  const steps = Array.from({ length: Math.ceil(maxWeight / Math.max(1, stepWeight)) }, (_, index) =>
    Math.min(100, (index + 1) * stepWeight),
  );
  const weights = stepWeight > 0 ? steps : stepWeights.toSorted((a, b) => a - b);
  return [...(mirror ? ['mirror'] : []), ...weights.map(String)];
}

function placeIn(plan: readonly string[], { routes, iterations }: Release): number {
  if (routes.kind === 'weighted' && routes.canary > 0) return plan.indexOf(String(routes.canary));
  // The switch of Blue/Green counts as one more; if traffic left it, the count does not change.
  const most = plan.at(-1) === '100' ? plan.length - 1 : iterations;
  if (iterations > 0) return plan.indexOf(`#${Math.min(most, iterations)}`);
  return routes.kind === 'mirrored' ? plan.indexOf('mirror') : -1;
}

const isRequested = (before: Release, { requests = [] }: Release): boolean =>
  requests.some(
    ({ id, verb, outcome }) => verb === 'promote' && outcome === 'carriedOut' && !before.requests?.some((one) => one.id === id),
  );

law('L4: each blocker is in the table of actors, and names the hook, metric or object that its actor can act on', (life) => {
  for (const step of life.steps)
    for (const one of blockersAfter(step)) {
      const { actor, meaning } = codes[one.code];
      expect(actors[actor], one.code).toBeTypeOf('string');
      expect([meaning, blockerText(one)], one.code).not.toContain('');
      if (actor === 'gateOwner') expect(life.canary.spec.analysis.webhooks?.map(({ name }) => name)).toContain(one.webhook);
      if (['CheckFailed', 'Unmeasured', 'InsufficientEvidence'].includes(one.code)) expect(one.metric, one.code).toBeTypeOf('string');
      if (actor === 'workloadOwner' && one.metric === undefined) expect(one.object?.name, one.code).toMatch(/^podinfo(-primary)?$/);
    }
});

law('L5: each until comes true: by then the blocker is gone, and while nothing reports progress it never moves', ({ frozen }) => {
  const promised = new Map<string, number>();
  for (const { atMs, state, dueMs = atMs, blockers: said } of frozen) {
    expect(atMs, `${state} says due at ${dueMs}`).toBeLessThan(dueMs + INTERVAL_MS);
    for (const one of said) {
      if (one.untilMs === undefined) continue;
      expect(atMs, `${one.code} in ${state} says until ${one.untilMs}`).toBeLessThan(one.untilMs + INTERVAL_MS);
      if (one.sinceMs === undefined) continue;
      expect(one.untilMs, `${one.code} in ${state} said another until`).toBe(promised.get(waitOf(one)) ?? one.untilMs);
      promised.set(waitOf(one), one.untilMs);
    }
  }
});

law(
  'L6: failedChecks grows by one for each check that is judged as failed and each interval in which the canary failed, and for nothing else',
  (life) => {
    for (const { before, was, phase, release, event } of ofOneRun(life)) {
      const grown = release.failedChecks - before.release.failedChecks;
      if (!isFailure(event) && hasCanaryFailed(was, event)) expect(grown, `after ${event.type}`).toBeLessThanOrEqual(1);
      else if (!isFailure(event)) expect(grown, `after ${event.type}`).toBe(0);
      else if (isAnalysed(phase) && release.step === before.release.step && release.heldRoutes === undefined) expect(grown).toBe(1);
      else expect(grown).toBeLessThanOrEqual(1);
    }
  },
);

/** Its pods have failed since the last count, or are not ready now. */
function hasCanaryFailed({ failing }: Release, { facts: { target } }: Step['event']): boolean {
  if (failing === undefined || target?.failing === undefined) return false;
  const { crashes, lost, unready } = target.failing;
  return crashes + lost > failing.crashes + failing.lost || unready > 0;
}

/** A refused pre-rollout or rollout hook, or a verdict that counts as failed. */
function isFailure(event: Step['event']): boolean {
  if (event.type !== 'ANSWER') return false;
  const { answer, facts } = event;
  if (answer.kind === 'runHooks') return answer.outcome === 'refused' && (answer.type === 'pre-rollout' || answer.type === 'rollout');
  const bad = facts.canary.spec.analysis.unmeasured === 'hold' ? ['failed'] : ['failed', 'unmeasured'];
  return answer.kind === 'measure' && answer.verdicts.some(({ verdict }) => bad.includes(verdict));
}

law('L7: a release goes on below its threshold and its limits, and ends at the failed check that reaches one', (life) => {
  for (const { before, phase, release, event } of ofOneRun(life)) {
    if (!isAnalysed(before.phase)) continue;
    const isOver = isOverIts(event.facts.canary, release);
    if (isAnalysed(phase)) expect(isOver, `${release.failedChecks} failed checks`).toBe(false);
    if (release.failedChecks > before.release.failedChecks)
      expect(phase === 'Failed', `${release.failedChecks} failed checks`).toBe(isOver);
  }
});

function isOverIts({ spec: { analysis }, ...canary }: Canary, { failedChecks, failures = {} }: Release): boolean {
  const { metrics = [] } = analysis;
  const isLimited = metrics.some(({ name, failureLimit = Number.POSITIVE_INFINITY }) => (failures[name] ?? 0) > failureLimit);
  return isLimited || failedChecks >= thresholdOf({ ...canary, spec: { analysis } } as Canary);
}

law('L8: a rollback has a cause, and says it', (life) => {
  for (const recorded of life.records) {
    const { before, phase, release, event } = recorded;
    if (phase !== 'Failed' || before.phase === 'Failed' || before.phase === '') continue;
    expect(release.reason).toMatch(/\S{3,}/);
    expect([release.ending?.atMs, release.ending?.detail]).toEqual([event.facts.nowMs, release.reason]);
    expect(release.reason).not.toMatch(/last: ?$/);
    expect(isAskedFor(recorded) || isOverIts(event.facts.canary, release) || isStuck(recorded) || isShut(recorded), release.reason).toBe(
      true,
    );
  }
});

function isAskedFor({ before, release, event }: Recorded): boolean {
  const isHook = event.type === 'ANSWER' && event.answer.kind === 'runHooks' && event.answer.type === 'rollback';
  const known = new Set(before.release.requests?.map(({ id }) => id));
  return isHook || release.requests?.some(({ id, verb }) => verb === 'rollback' && !known.has(id)) === true;
}

/** A gate has refused for longer than its time. */
function isShut({ before, event }: Recorded): boolean {
  const { gateTimeout } = event.facts.canary.spec.analysis;
  if (gateTimeout === undefined || event.type !== 'ANSWER' || event.answer.kind !== 'runHooks') return false;
  const { type } = event.answer;
  const { gateClosed } = before.release;
  const isOver = gateClosed !== undefined && event.facts.nowMs >= gateClosed.sinceMs + (parseDuration(gateTimeout) ?? 0);
  return type.startsWith('confirm-') && event.answer.outcome === 'refused' && isOver;
}

/** A side is stalled, or a deadline has passed. */
function isStuck({ before, was, event }: Recorded): boolean {
  const { facts } = event;
  const { stepStartedMs, awaitedSinceMs = stepStartedMs, blindSinceMs = stepStartedMs } = before.release;
  const isStalled = [facts.target, facts.primary].some((side) => side?.readiness.state === 'stalled');
  const sinceMs = Math.min(stepStartedMs, awaitedSinceMs, blindSinceMs);
  const { unreadyMs = 0, unreadySinceMs = facts.nowMs } = was.failing ?? {};
  if (unreadyMs + facts.nowMs - unreadySinceMs >= deadlineMs(facts)) return true;
  return isStalled || facts.nowMs >= sinceMs + deadlineMs(facts) || facts.nowMs >= (facts.refused?.uncheckedUntilMs ?? facts.nowMs + 1);
}

law('L14: a failing of the canary that no check counts is counted between one and two intervals after the last one was judged', (life) => {
  for (const { before, was, phase, release, event } of ofOneRun(life)) {
    const grown = release.failedChecks - before.release.failedChecks;
    if (grown <= 0 || !isAnalysed(before.phase)) continue;
    if (event.type !== 'ANSWER' && hasCanaryFailed(was, event))
      expect(at({ event }) - (was.failing?.judgedMs ?? 0), `counted in ${phase}`).toBeGreaterThanOrEqual(INTERVAL_MS);
  }
  for (const { atMs, state, uncountedSinceMs = atMs } of life.frozen)
    expect(atMs - uncountedSinceMs, `a failing in ${state} is not counted`).toBeLessThanOrEqual(2 * INTERVAL_MS);
});

law('L9: a revision that becomes the promoted one was released, and is in the primary', (life) => {
  const released = new Set<string>();
  for (const { before, phase, release, event } of life.records) {
    if (isAnalysed(phase)) released.add(`${release.run} ${release.revision}`);
    if (before.release.promotedRevision === release.promotedRevision || before.phase === 'Initializing' || before.phase === '') continue;
    expect([phase, event.facts.primary?.carries]).toEqual(['Succeeded', release.promotedRevision]);
    expect(released).toContain(`${before.release.run} ${release.promotedRevision}`);
  }
});

law('L10: a run sends traffic to its canary only after its own pre-rollout hooks have passed', ({ canary, steps }) => {
  const asks = canary.spec.analysis.webhooks?.some(({ type }) => type === 'pre-rollout') === true;
  const passed = new Set<number>();
  for (const { before, event, next } of steps) {
    const { run, routes, heldRoutes } = before.context.release;
    const answer = event.type === 'ANSWER' && before.context.open === event.answer.id ? event.answer : undefined;
    if (answer?.kind === 'runHooks' && answer.type === 'pre-rollout' && answer.outcome === 'passed') passed.add(run);
    const { release } = next.context;
    // Withdrawn traffic returns; traffic that was sent while the primary could not serve is not moved.
    const isSent = release.run === run && heldRoutes === undefined && !reachesCanary(routes) && reachesCanary(release.routes);
    if (asks && isSent && stateIn(next).startsWith('Progressing')) expect(passed, `run ${run}`).toContain(run);
  }
});

law('L11: the clock of a step moves only when it is entered, resumed, or no longer blocked', (life) => {
  for (const { before, event, next } of life.steps) {
    const [then, now] = [before.context.release, next.context.release];
    const isSame = stateIn(before) === stateIn(next) && then.run === now.run && then.revision === now.revision;
    const isTaken = JSON.stringify([then.routes, then.iterations]) !== JSON.stringify([now.routes, now.iterations]);
    if (!isSame || isTaken || (then.paused && !now.paused) || (before.context.blocked && !event.facts.blocker)) continue;
    expect(now.stepStartedMs, `${stateIn(next)} after ${event.type}`).toBe(then.stepStartedMs);
    if (then.awaitedSinceMs !== undefined && now.awaitedSinceMs !== undefined) expect(now.awaitedSinceMs).toBe(then.awaitedSinceMs);
  }
});

function stateIn({ value }: Step['next']): string {
  const [[phase, rest] = ['']] = typeof value === 'string' ? [[value]] : Object.entries(value);
  return `${phase}.${typeof rest === 'object' ? Object.keys(rest)[0] : rest}`;
}

law('L12: pods that lose their traffic are kept for the scale-down delay', (life) => {
  let lostMs = Number.NEGATIVE_INFINITY;
  for (const recorded of life.records) {
    const { before, phase, release } = recorded;
    if (reachesCanary(before.release.routes) && !reachesCanary(release.routes)) lostMs = at(recorded);
    const isStopping = release.step === 'resting' || release.step === 'recycleStopping';
    if (isStopping && before.release.step !== release.step && !reachesCanary(release.routes))
      expect(at(recorded) - lostMs, `${phase}.${release.step}`).toBeGreaterThanOrEqual(recorded.event.facts.scaleDownDelayMs);
  }
});

/** Time for which a message is tried, at the end of a release and during it. Milliseconds. */
const [LIFETIME_MS, NEWS_LIFETIME_MS] = [24 * 3_600_000, 15 * 60_000];
const MOST_NEWS = 20;

law('L13: a message leaves the list when it is delivered, when its time is over, or as the oldest of too many news', ({ steps }) => {
  for (const { before, event, next } of steps) {
    const left = new Set(next.context.release.deliveries?.map(({ key }) => key));
    const gone = (before.context.release.deliveries ?? []).filter(({ key }) => !left.has(key));
    for (const { key, outcome, sinceMs } of gone) {
      const isOld = event.facts.nowMs >= sinceMs + (outcome === undefined ? NEWS_LIFETIME_MS : LIFETIME_MS);
      const isOneOfMany = outcome === undefined && left.size >= MOST_NEWS;
      expect(isOld || isOneOfMany || (event.type === 'DELIVERED' && event.key === key), key).toBe(true);
    }
  }
});
