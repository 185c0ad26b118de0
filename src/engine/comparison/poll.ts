import { ask } from '../changes/change.ts';
import type { Context, Input, Poll } from '../context.ts';
import { isGate, POLL_MS } from './compared-metrics.ts';
import { toCompare } from './compared-so-far.ts';

/**
 * While a canary soaks under a gate, the errors of both sides are read every few seconds beside the checks, so that a disaster does not wait
 * for the next one (rule E125). One query each; nothing is recorded before a check or the end.
 */
export function withComparisonPoll(context: Context, path: readonly string[], event: Input['event']): Context {
  const { comparing, ...rest } = context;
  if (!hasPoll(rest, path, event)) return rest;
  const { nowMs } = event.facts;
  const known: Poll = comparing?.run === context.release.run ? comparing : { run: context.release.run };
  if (known.open !== undefined) return { ...rest, comparing: known };
  const dueMs = known.dueMs ?? (known.answeredMs ?? nowMs) + POLL_MS;
  // The check reads them, too.
  if (dueMs >= (rest.wakeAtMs ?? 0)) return rest;
  if (nowMs < dueMs) return { ...rest, comparing: { ...known, dueMs } };
  const compare = toCompare(context.release, event.facts, { isPoll: true });
  if (compare.length === 0) return { ...rest, comparing: { ...known, dueMs: nowMs + POLL_MS } };
  const { attempt = rest.attempt, asks = [], open } = ask({ context: rest, event }, { kind: 'compare', compare });
  return { ...rest, attempt, asks, comparing: { run: known.run, ...(open === undefined ? {} : { open }) } };
}

function hasPoll({ release, frozen }: Context, [phase, step, part]: readonly string[], { facts }: Input['event']): boolean {
  const mayAsk = !frozen && facts.blocker === undefined && release.paused === undefined && facts.refused?.uncheckedUntilMs === undefined;
  if (!mayAsk || !isGate(facts.canary.spec.analysis)) return false;
  return (phase === 'Progressing' || phase === 'WaitingPromotion') && step === 'analysing' && part === 'soaking';
}
