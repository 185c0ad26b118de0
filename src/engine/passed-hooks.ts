import type { HookType } from '../api/canary.ts';
import { announce } from './changes/change.ts';
import type { Context, Input } from './context.ts';
import { say } from './reasons.ts';

/** Rollout hooks pass at every check: an Event says only when they fail. */
const TOLD: ReadonlySet<HookType> = new Set<HookType>([
  'confirm-rollout',
  'pre-rollout',
  'confirm-traffic-increase',
  'confirm-promotion',
  'rollback',
]);

/** An Event for each hook that has let the release go on, or has ended it (E85); a gate that is polled announces nothing before it opens. */
export function announcePassed(context: Context, event: Input['event']): Context {
  if (event.type !== 'ANSWER' || event.answer.kind !== 'runHooks' || event.answer.outcome !== 'passed') return context;
  const { type, webhooks } = event.answer;
  if (!TOLD.has(type)) return context;
  let announced = context;
  for (const webhook of webhooks) {
    const message = `The ${type} hook ${webhook} passed`;
    announced = { ...announced, ...announce({ context: announced, event }, say('HookPassed', message, { warning: type === 'rollback' })) };
  }
  return announced;
}
