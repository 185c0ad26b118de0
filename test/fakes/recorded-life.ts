import fc from 'fast-check';
import { identityOf } from '../../src/api/blocker.ts';
import type { Canary } from '../../src/api/canary.ts';
import type { Release } from '../../src/api/canary-status.ts';
import type { Phase } from '../../src/api/phase.ts';
import { dueMs } from '../../src/engine/due.ts';
import type { Facts } from '../../src/engine/facts.ts';
import { phaseOf, releaseOf, type Snapshot } from '../../src/engine/machine.ts';
import type { EngineEvent, Question } from '../../src/engine/questions.ts';
import { blockersOf, type FoundBlocker } from '../../src/engine/waits-of.ts';
import { type Act, aRougherAct, gates, plans, run } from './lives.ts';
import { aCanary, World } from './world.ts';

export const INTERVAL_MS = 10_000;

/** One step of the engine. */
export interface Step {
  before: Snapshot;
  event: EngineEvent;
  next: Snapshot;
  questions: readonly Question[];
}

/** One recorded status, with the previous one and the event between them. */
export interface Recorded {
  before: { phase: Phase; release: Release };
  /** Release in memory before the step. */
  was: Release;
  phase: Phase;
  release: Release;
  event: EngineEvent;
}

/** Content of the status at one moment after the outside world had stopped changing. */
export interface Moment {
  atMs: number;
  state: string;
  blockers: readonly FoundBlocker[];
  dueMs?: number | undefined;
  /** Since when a failing of the canary waits to be counted, where one does and time counts. */
  uncountedSinceMs?: number | undefined;
}

export interface Life {
  canary: Canary;
  steps: readonly Step[];
  records: readonly Recorded[];
  /** Moments in order; the last moment is an interval after the latest time that the first one promises. */
  frozen: readonly Moment[];
}

export interface LifePlan {
  /** A key of `canaries`. */
  plan: string;
  /** The Canary names a scaler, and its target has four pods. */
  isScaled: boolean;
  acts: readonly Act[];
}

const limits = { min: 1, max: 8 };
const metrics = [{ name: 'errors', failureLimit: 1 }];

const canaries: Readonly<Record<string, Canary>> = {
  ...Object.fromEntries(plans.map((canary, index) => [`plan ${index}`, canary])),
  limited: aCanary({ stepWeights: [5, 20, 50], threshold: 4, metrics, ...gates }),
  compared: aCanary({ stepWeight: 30, threshold: 2, comparison: { mode: 'gate', pace: 'evidence', maxStepDuration: '40s' } }),
};

export const aLife: fc.Arbitrary<LifePlan> = fc.record({
  plan: fc.constantFrom(...Object.keys(canaries)),
  isScaled: fc.nat({ max: 2 }).map((number) => number === 0),
  acts: fc.array(aRougherAct, { minLength: 10, maxLength: 60, size: 'max' }),
});

/** Lives through the acts, and then on while nothing changes but by what the engine does itself. */
export function lived({ plan, isScaled, acts }: LifePlan): Life {
  const canary = canaries[plan] ?? aCanary();
  const world = new World(canary);
  const steps: Step[] = [];
  const records: Recorded[] = [];
  world.deliversAtOnce = false;
  if (isScaled) Object.assign(world, { scaler: { name: 'hpa/podinfo', target: limits, primary: limits }, targetReplicas: 4 });
  world.onStep = (step) => {
    steps.push(step);
    records.push(...recordsOf(step));
    // A wake that has come is removed.
    if (step.event.type === 'WAKE' && world.nowMs >= (world.wakeAtMs ?? Number.POSITIVE_INFINITY)) world.wakeAtMs = undefined;
  };
  world.begin();
  world.tick();
  world.push('s1:b');
  for (const one of acts) run(world, one);
  return { canary, steps, records, frozen: freeze(world) };
}

function recordsOf({ before, event, questions }: Step): Recorded[] {
  const known = before.context.recorded ?? { phase: phaseOf(before), release: releaseOf(before) };
  return questions.flatMap((one) =>
    one.kind === 'record' ? [{ before: known, was: before.context.release, phase: one.phase, release: one.release, event }] : [],
  );
}

function freeze(world: World): Moment[] {
  world.settle();
  const moments = [momentOf(world)];
  const untilMs = Math.max(...moments.flatMap(({ blockers, dueMs = 0 }) => [dueMs, ...blockers.map((one) => one.untilMs ?? 0)]));
  const endMs = Math.max(untilMs, world.nowMs) + INTERVAL_MS;
  for (let at = nextWakeMs(world); at !== undefined && at <= endMs; at = nextWakeMs(world)) {
    world.nowMs = Math.max(world.nowMs, at);
    world.send({ type: 'WAKE', facts: world.facts() });
    world.settle();
    moments.push(momentOf(world));
  }
  world.nowMs = endMs;
  return untilMs > 0 ? [...moments, momentOf(world)] : moments;
}

/** The next wake that the engine has requested, or the time of a refused spec, at which the controller looks by itself. */
function nextWakeMs({ wakeAtMs, behaviour, nowMs }: World): number | undefined {
  const uncheckedUntilMs = behaviour.refused?.uncheckedUntilMs ?? 0;
  const known = [wakeAtMs, uncheckedUntilMs > nowMs ? uncheckedUntilMs : undefined].filter((one) => one !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

function momentOf(world: World): Moment {
  const phase = phaseOf(world.snapshot);
  const facts = world.facts();
  const blockers = phase === '' ? [] : blockersOf(world.canary, phase, world.release, facts);
  const due = phase === '' ? undefined : dueMs(world.canary, phase, world.release, facts);
  return { atMs: world.nowMs, state: `${phase}.${world.step}`, blockers, dueMs: due, uncountedSinceMs: uncountedSince(world, facts) };
}

function uncountedSince({ release, phase, canary }: World, { target, blocker }: Facts): number | undefined {
  const isCounting = ['Progressing', 'WaitingPromotion'].includes(phase) && canary.spec.suspend !== true;
  if (!isCounting || blocker !== undefined || release.paused !== undefined) return undefined;
  const { failing: counted } = release;
  const { failing, serving, readiness } = target ?? {};
  if (counted === undefined || failing === undefined) return undefined;
  const isUnready = failing.unready > 0 && !(serving === true && readiness?.state === 'ready');
  return isUnready || failing.crashes + failing.lost > counted.crashes + counted.lost ? counted.judgedMs : undefined;
}

/** The blockers that a status would list after a step. */
export function blockersAfter({ next, event: { facts } }: Step): readonly FoundBlocker[] {
  const phase = phaseOf(next);
  return phase === '' ? [] : blockersOf(facts.canary, phase, releaseOf(next), facts);
}

/** One wait of one thing: what is said about it again is about the same. */
export const waitOf = (one: FoundBlocker): string => `${identityOf(one)} since ${one.sinceMs}`;

export const deadlineMs = ({ canary }: Facts): number => (canary.spec.progressDeadlineSeconds ?? 600) * 1_000;
