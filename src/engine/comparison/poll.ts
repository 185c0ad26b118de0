import { isAnalysing, isResting } from '../../api/step.ts';
import { putQuestion } from '../changes/change.ts';
import type { Context, Input, Poll } from '../context.ts';
import { isGate, POLL_MS } from './compared-metrics.ts';
import { toCompare } from './compared-so-far.ts';
import { withNews } from './news.ts';

/** Reads counts beside the question of a step. */
export function withReadings(context: Context, path: readonly string[], event: Input['event']): Context {
  return isGate(event.facts.canary.spec.analysis) ? withComparisonPoll(context, path, event) : withShadowReading(context, path, event);
}

/**
 * In shadow mode counts are read along with each check, which does not wait for them: they count when they come, until the release has ended. One reading at a
 * time, and the next reading begins at its end.
 */
function withShadowReading({ comparing, ...rest }: Context, [phase = '', step = '']: readonly string[], event: Input['event']): Context {
  const { run, revision } = rest.release;
  if (comparing?.open?.startsWith(`${run}/${revision}/`) && !isResting({ step })) return { ...rest, comparing };
  const isRead = event.type === 'ANSWER' && event.answer.kind === 'compare';
  // Otherwise the next check announces the result.
  if (isRead && ENDING.has(phase)) return { ...rest, ...withNews({ context: rest, event }, rest.release) };
  if (!rest.asks.some(({ kind }) => kind === 'measure')) return rest;
  const compare = toCompare(rest.release, event.facts);
  if (compare.length === 0) return rest;
  const { attempt = rest.attempt, asks = [], open } = putQuestion({ context: rest, event }, { kind: 'compare', compare });
  return { ...rest, attempt, asks, comparing: { run, ...(open === undefined ? {} : { open }) } };
}

/** After the last check. */
const ENDING: ReadonlySet<string> = new Set(['Promoting', 'Finalising', 'Failed', 'Succeeded']);

/**
 * While a canary soaks under a gate, the errors of both sides are read every few seconds beside the checks, so that a disaster is found before the next check
 * (rule E125). One query each; nothing is recorded before a check or the end.
 */
function withComparisonPoll(context: Context, path: readonly string[], event: Input['event']): Context {
  const { comparing, ...rest } = context;
  if (!hasPoll(rest, path, event)) return rest;
  const { nowMs } = event.facts;
  const known: Poll = comparing?.run === context.release.run ? comparing : { run: context.release.run };
  if (known.open !== undefined) return { ...rest, comparing: known };
  const dueMs = known.dueMs ?? (known.answeredMs ?? nowMs) + POLL_MS;
  // The check also reads them.
  if (dueMs >= (rest.wakeAtMs ?? 0)) return rest;
  if (nowMs < dueMs) return { ...rest, comparing: { ...known, dueMs } };
  const compare = toCompare(context.release, event.facts, { isPoll: true });
  if (compare.length === 0) return { ...rest, comparing: { ...known, dueMs: nowMs + POLL_MS } };
  const { attempt = rest.attempt, asks = [], open } = putQuestion({ context: rest, event }, { kind: 'compare', compare });
  return { ...rest, attempt, asks, comparing: { run: known.run, ...(open === undefined ? {} : { open }) } };
}

function hasPoll({ release, frozen }: Context, [phase, step = '', part]: readonly string[], { facts }: Input['event']): boolean {
  const mayAsk = !frozen && facts.blocker === undefined && release.paused === undefined && facts.refused?.uncheckedUntilMs === undefined;
  if (!mayAsk || !isGate(facts.canary.spec.analysis)) return false;
  return (phase === 'Progressing' || phase === 'WaitingPromotion') && isAnalysing({ step }) && part === 'soaking';
}
