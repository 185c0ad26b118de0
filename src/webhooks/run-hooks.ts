import type { Canary, HookType, Webhook } from '../api/canary.ts';
import type { EgressPolicy } from '../outgoing/connection.ts';
import { type CallOptions, callWebhook, type HookOutcome } from './call-webhook.ts';
import { eventPayload, type HookEvent, hookPayload, type ReleaseInCall } from './hook-payload.ts';

/** `webhooks`: names of the webhooks that passed. */
export type HooksOutcome =
  | { outcome: 'passed'; webhooks: readonly string[] }
  /** `isUnanswered`: the webhook gave no answer, or could not be called; absent if it answered no. */
  | { outcome: 'refused'; webhook: string; reason: string; isUnanswered?: true };

/** `key`: of the occasion; each webhook adds its own name. */
export interface HooksContext extends CallOptions, ReleaseInCall {}

/**
 * Calls the Canary's webhooks of one type, one after the other in list order; the first failure ends it. For
 * `rollback`, `passed` means "roll back": the first success ends it, and without any webhook the answer is `refused`.
 */
export async function runHooks(canary: Canary, type: HookType, context: HooksContext): Promise<HooksOutcome> {
  let failure: HooksOutcome & { outcome: 'refused' } = { outcome: 'refused', webhook: '', reason: 'no rollback webhook is configured' };
  const hooks = hooksOf(canary, type);
  for (const [index, webhook] of hooks.entries()) {
    const own = { ...context, key: keyOf(context.key, hooks, index) };
    const result = await callWebhook(webhook, hookPayload(canary, webhook, context), own);
    if (type === 'rollback' && result.outcome === 'passed') return { outcome: 'passed', webhooks: [webhook.name] };
    if (result.outcome === 'refused') failure = refusedBy(webhook, result);
    if (type !== 'rollback' && result.outcome === 'refused') return failure;
  }
  return type === 'rollback' ? failure : { outcome: 'passed', webhooks: hooks.map(({ name }) => name) };
}

function refusedBy({ name }: Webhook, { reason, status }: HookOutcome & { outcome: 'refused' }): HooksOutcome & { outcome: 'refused' } {
  return { outcome: 'refused', webhook: name, reason, ...(status === undefined && { isUnanswered: true }) };
}

/**
 * Calls all `event` webhooks of the Canary, in order, or `fallbackUrl` (`-event-webhook`) when it has none. Each failure
 * is returned, for the log; a failure does not stop the next call.
 */
export async function sendEvent(
  canary: Canary,
  event: HookEvent,
  context: HooksContext & { fallbackUrl?: string; ownEgress?: EgressPolicy | undefined },
): Promise<(HooksOutcome & { outcome: 'refused' })[]> {
  const failures: (HooksOutcome & { outcome: 'refused' })[] = [];
  const egress = hooksOf(canary, 'event').length > 0 ? context.egress : context.ownEgress;
  const receivers = eventReceivers(canary, context.fallbackUrl);
  for (const [index, webhook] of receivers.entries()) {
    const own = { ...context, egress, key: keyOf(context.key, receivers, index) };
    const result = await callWebhook(webhook, eventPayload(canary, event, { ...context, webhook }), own);
    if (result.outcome === 'refused') failures.push(refusedBy(webhook, result));
  }
  return failures;
}

/** The `event` webhooks of the Canary, or the one of the flag where it has none. */
export function eventReceivers(canary: Canary, fallbackUrl = ''): Webhook[] {
  const own = hooksOf(canary, 'event');
  if (own.length > 0 || fallbackUrl === '') return own;
  return [{ name: 'event-webhook', type: 'event', url: fallbackUrl }];
}

/** The key of a hook whose name is shared contains its place among the hooks of that name, as in the messages of an end. */
function keyOf(occasion: string, hooks: readonly Webhook[], index: number): string {
  const { name = '' } = hooks[index] ?? {};
  const nth = hooks.slice(0, index).filter((other) => other.name === name).length;
  return `${occasion}/${name}${nth > 0 ? `/${nth}` : ''}`;
}

/** An empty type is `rollout`. */
export function hooksOf(canary: Canary, type: HookType): Webhook[] {
  const wanted = type || 'rollout';
  return (canary.spec.analysis.webhooks ?? []).filter((webhook) => (webhook.type || 'rollout') === wanted);
}
