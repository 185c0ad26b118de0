import type { Phase } from '../api/phase.ts';
import { putQuestion } from './changes/change.ts';
import type { Context, Input, Poll } from './context.ts';
import type { Facts } from './facts.ts';
import { hasHooks } from './strategy.ts';

/**
 * Calls rollback hooks beside the steps of a release, during any wait (E82): at its start, in every interval, and before each check and each poll of a gate,
 * which `polls` marks. From Promoting on they are not called: the primary already takes the new revision.
 */
export function withRollbackPoll(context: Context, phase: Phase, polls: boolean, event: Input['event']): Context {
  const { rollback, ...rest } = context;
  const { facts } = event;
  if (!hasPoll(rest, phase, facts)) return rest;
  const known: Poll = rollback?.run === context.release.run ? rollback : { run: context.release.run };
  if (known.open !== undefined) return { ...rest, rollback: known };
  const dueMs = dueOf(known, rest, polls, facts);
  if (facts.nowMs < dueMs) return { ...rest, rollback: { ...known, dueMs } };
  const {
    attempt = rest.attempt,
    asks = [],
    open,
  } = putQuestion({ context: rest, event }, { kind: 'runHooks', type: 'rollback', phase: '', checksum: '', key: '' });
  return { ...rest, attempt, asks, rollback: { run: known.run, ...(open === undefined ? {} : { open }) } };
}

/** Due steps wait until the hooks have been called. */
export function asksRollbackFirst({ context, event }: Input): boolean {
  const { rollback, recorded, wakeAtMs = 0 } = context;
  return hasPoll(context, recorded?.phase, event.facts) && (rollback?.answeredMs ?? Number.NEGATIVE_INFINITY) < wakeAtMs;
}

function dueOf({ answeredMs }: Poll, { open, wakeAtMs }: Context, polls: boolean, { nowMs, intervalMs }: Facts): number {
  if (answeredMs === undefined) return nowMs;
  const isNextByItself = polls && open === undefined && wakeAtMs !== undefined && wakeAtMs > answeredMs;
  return isNextByItself ? wakeAtMs : answeredMs + intervalMs;
}

function hasPoll({ release, frozen }: Context, phase: Phase | undefined, { canary, refused }: Facts): boolean {
  if (frozen || release.paused !== undefined || refused?.uncheckedUntilMs !== undefined) return false;
  return (phase === 'Progressing' || phase === 'WaitingPromotion') && hasHooks(canary, 'rollback');
}
