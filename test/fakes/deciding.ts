import { expect, it } from 'vitest';
import type { AnyStateNode } from 'xstate';
import type { Canary, HookType } from '../../src/api/canary.ts';
import type { Release, Verdict } from '../../src/api/canary-status.ts';
import { Phase } from '../../src/api/phase.ts';
import { type Routes, weight } from '../../src/api/routes.ts';
import type { Verb } from '../../src/api/verb-request.ts';
import { chart } from '../../src/engine/chart.ts';
import type { Context } from '../../src/engine/context.ts';
import { decide } from '../../src/engine/decide.ts';
import type { Decision } from '../../src/engine/decision.ts';
import type { Facts, SideFacts, TargetRevision } from '../../src/engine/facts.ts';
import type { Answer, EngineEvent } from '../../src/engine/questions.ts';
import type { StateName } from '../../src/engine/states/moves.ts';
import { aCanary } from './world.ts';

/** One row of a table of decisions: how the state, the event and the facts differ from a release that goes well. */
export interface DecisionCase {
  state: string;
  when: string;
  decision: Decision;
  /** The event, by default a change of facts. With `due`, the time that the step waits for has come. */
  event?: 'RESUME' | 'WAKE' | 'DELIVERED' | 'stopped' | { asks: Verb } | { answer: Outcome } | { verdicts: Verdict['verdict'][] };
  due?: boolean;
  analysis?: Partial<Canary['spec']['analysis']>;
  spec?: Partial<Canary['spec']>;
  hooks?: HookType[];
  release?: Partial<Release>;
  context?: Partial<Context>;
  facts?: Partial<Facts>;
  target?: Partial<SideFacts & TargetRevision> | null;
  primary?: (Partial<SideFacts> & { carries?: string }) | null;
}
type Outcome = 'passed' | 'refused' | 'written' | 'mismatch';

export const nowMs = 1_000_000;
/** The progress deadline of these Canaries. */
export const deadlineMs = 60_000;
export const drainMs = 5_000;

const ready: SideFacts = { readiness: { state: 'ready', ready: 2, wanted: 2 }, serving: true, replicas: 2 };
/** Serves, below its ready threshold. */
export const short: SideFacts = { readiness: { state: 'waiting', ready: 1, wanted: 2 }, serving: true, replicas: 2 };
export const down: SideFacts = { readiness: { state: 'waiting', ready: 0, wanted: 2 }, serving: false, replicas: 2 };
export const stalled: SideFacts = { ...down, readiness: { state: 'stalled', ready: 0, wanted: 2 } };

export const weighted = (percent: number): Routes => ({ kind: 'weighted', canary: weight(percent) });
/** A scaler: with it, sides need pods for their share (E60). */
export const scaler: NonNullable<Facts['scaler']> = { name: 'hpa/podinfo', target: { min: 1, max: 10 }, primary: { min: 1, max: 10 } };
/** Facts with which nothing may advance, each for another reason; none ends a release. */
export const refused: Partial<Facts> = { refused: { reason: 'InvalidSpec', message: 'bad' } };
export const unconfirmed: Partial<Facts> = { unconfirmed: { code: 'RouteUnconfirmed', detail: 'no' } };
export const contested: Partial<Facts> = { converged: false, unconfirmed: { code: 'RouteContested', detail: 'no' } };
export const unroutable: Partial<Facts> = { unroutable: { code: 'RouteUnconfirmed', detail: 'no', sinceMs: nowMs } };
export const paused: Partial<Release> = { paused: { by: 'ann', sinceMs: nowMs } };
export const late: Partial<Release> = { stepStartedMs: nowMs - deadlineMs };

/** A row of such a table. `at`: the state, with fields that several rows share. */
export function decides(
  at: string | Omit<DecisionCase, 'when' | 'decision'>,
  when: string,
  decision: Decision,
  differs: Partial<DecisionCase> = {},
): DecisionCase {
  return { ...(typeof at === 'string' ? { state: at } : at), when, decision, ...differs };
}

/** Each row is decided as it says, and the chart has a move for that in its state. */
export function itDecides(cases: readonly DecisionCase[]): void {
  it.each(cases)('$state: $when → $decision', (one) => {
    expect(decide(one.state as StateName, inputOf(one))).toBe(one.decision);
    expect(one.decision === 'wait' || movesIn(one.state).includes(one.decision), 'the chart has a move for it').toBe(true);
  });
}

/** Decisions that the chart has a move for in a state or around it. */
export function movesIn(state: string): string[] {
  const nodes: AnyStateNode[] = [chart.root];
  for (const key of state.split('.')) {
    const next = nodes.at(-1)?.states[key];
    if (!next) throw new Error(`the chart has no state ${state}`);
    nodes.push(next);
  }
  return nodes.flatMap((node) => Object.values(node.on).flatMap((moves) => moves.map(({ guard }) => String(guard))));
}

function inputOf(one: DecisionCase): { context: Context; event: EngineEvent } {
  const [top = '', step = ''] = one.state.split('.');
  const release = { ...aRelease(step), ...one.release };
  const context: Context = {
    release,
    attempt: 1,
    asks: [],
    frozen: false,
    blocked: false,
    ...(top === 'New' ? {} : { recorded: { phase: Phase.parse(top), release } }),
    ...(one.due ? { wakeAtMs: nowMs } : {}),
    ...one.context,
  };
  return { context, event: eventOf(one, factsOf(one)) };
}

function aRelease(step: string): Release {
  return {
    targetUid: 't-1',
    revision: 's1:b',
    promotedRevision: 's1:a',
    observedGeneration: 1,
    run: 1,
    step,
    routes: weighted(20),
    failedChecks: 0,
    iterations: 0,
    startedMs: nowMs,
    stepStartedMs: nowMs,
  };
}

function factsOf({ analysis, spec, hooks = [], facts, target, primary }: DecisionCase): Facts {
  const webhooks = hooks.map((type) => ({ name: type, type, url: 'http://gate' }));
  return {
    nowMs,
    canary: aCanary({ stepWeight: 20, maxWeight: 60, webhooks, ...analysis }, spec),
    provider: 'istio',
    supports: { weights: true, mirroring: true, headerMatch: true, sessionAffinity: true },
    intervalMs: 10_000,
    scaleDownDelayMs: drainMs,
    converged: true,
    cookieWord: 'word',
    ...(target === null ? {} : { target: { ...ready, uid: 't-1', generation: 1, revision: 's1:b', ...target } }),
    ...(primary === null ? {} : { primary: { ...ready, carries: 's1:a', ...primary } }),
    ...facts,
  };
}

function eventOf({ event, state, hooks = [] }: DecisionCase, facts: Facts): EngineEvent {
  if (event === undefined) return { type: 'FACTS', facts };
  if (event === 'DELIVERED') return { type: 'DELIVERED', facts, key: 'k' };
  if (event === 'stopped') return { type: 'STOP', facts, by: { webhook: 'rollback' } };
  if (typeof event === 'string') return { type: event, facts };
  if ('asks' in event) return { type: 'REQUEST', facts, request: { verb: event.asks, id: 'r', by: 'ann', atMs: nowMs } };
  const id = 'open';
  if ('verdicts' in event) {
    const verdicts = event.verdicts.map((verdict) => ({ check: 'errors', verdict }));
    return { type: 'ANSWER', facts, answer: { kind: 'measure', id, verdicts } };
  }
  return { type: 'ANSWER', facts, answer: answerOf(event.answer, state, hooks[0] ?? 'rollout') };
}

function answerOf(outcome: Outcome, state: string, type: HookType): Answer {
  const id = 'open';
  const kind =
    state === 'Promoting.writingPrimary'
      ? 'promote'
      : state === 'Failed.restoringPrimary'
        ? 'restorePrimary'
        : state.endsWith('.restarting')
          ? 'restart'
          : 'undo';
  switch (outcome) {
    case 'passed':
      return { kind: 'runHooks', id, type, outcome, webhooks: [type] };
    case 'written':
      return { kind, id, outcome };
    case 'mismatch':
      return { kind: 'promote', id, outcome };
    case 'refused': {
      const isHook = kind === 'undo' && state !== 'Succeeded.undoing';
      return isHook ? { kind: 'runHooks', id, type, outcome, webhook: type, reason: 'no' } : { kind, id, outcome, reason: 'forbidden' };
    }
    default:
      return outcome satisfies never;
  }
}
