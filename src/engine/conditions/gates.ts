import type { Input } from '../context.ts';
import { hasHooks, strategyOf } from '../strategy.ts';

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
