import type { Release } from '../../api/canary-status.ts';
import type { Input } from '../context.ts';
import { gateTimeoutMs, gateUntilMs } from '../gate-limit.ts';
import { isGateType } from '../hook-refusal.ts';
import { hasHooks, strategyOf } from '../strategy.ts';
import { isPast } from './time.ts';

/** A release starts only when its hooks allow it. */
export function isStartGated({ event }: Input): boolean {
  return hasHooks(event.facts.canary, 'confirm-rollout');
}

/** confirm-traffic-increase is called before weights rise (E81). */
export function isTrafficGated({ event }: Input): boolean {
  const { canary, supports } = event.facts;
  return hasHooks(canary, 'confirm-traffic-increase') && strategyOf(canary, supports) === 'canary';
}

export function hasPreRollout({ event }: Input): boolean {
  return hasHooks(event.facts.canary, 'pre-rollout');
}

/** The gate that this answer finds closed, since its first refusal; undefined for an open gate, and without a time limit (E145). */
export function closedGateIn({ context, event }: Input): Release['gateClosed'] {
  if (event.type !== 'ANSWER' || event.answer.kind !== 'runHooks' || event.answer.outcome !== 'refused') return undefined;
  const { webhook, type } = event.answer;
  if (!isGateType(type) || gateTimeoutMs(event.facts.canary) === undefined) return undefined;
  const { gateClosed: known } = context.release;
  return known?.webhook === webhook && known.type === type ? known : { webhook, type, sinceMs: event.facts.nowMs };
}

/** The gate has been closed for its time, also at the call that has just been answered (E145). */
export function isGateOver(input: Input): boolean {
  const untilMs = gateUntilMs(input.event.facts.canary, { gateClosed: closedGateIn(input) });
  return untilMs !== undefined && isPast(input, untilMs);
}
