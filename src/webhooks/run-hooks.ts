import type { Canary, HookType, Webhook } from '../api/canary.ts';
import type { FindWay } from '../api/outgoing.ts';
import type { Phase } from '../api/phase.ts';
import { type CallOptions, callWebhook } from './call-webhook.ts';
import { eventPayload, type HookEvent, hookPayload } from './hook-payload.ts';

export type HooksOutcome = { outcome: 'passed' } | { outcome: 'refused'; webhook: string; reason: string };

export interface HooksContext extends CallOptions {
  phase: Phase;
  checksum: string;
}

/**
 * Calls the Canary's webhooks of one type, one after the other in list order; the first refusal ends it (02 §8). For
 * `rollback`, `passed` means "roll back": the first success ends it, and without any webhook the answer is `refused`.
 */
export async function runHooks(canary: Canary, type: HookType, context: HooksContext): Promise<HooksOutcome> {
  let refusal: HooksOutcome & { outcome: 'refused' } = { outcome: 'refused', webhook: '', reason: 'no rollback webhook is configured' };
  for (const webhook of hooksOf(canary, type)) {
    const answer = await callWebhook(webhook, hookPayload(canary, webhook, context.phase, context.checksum), context);
    if (type === 'rollback' && answer.outcome === 'passed') return { outcome: 'passed' };
    if (answer.outcome === 'refused') refusal = { outcome: 'refused', webhook: webhook.name, reason: answer.reason };
    if (type !== 'rollback' && answer.outcome === 'refused') return refusal;
  }
  return type === 'rollback' ? refusal : { outcome: 'passed' };
}

/**
 * Tells all `event` webhooks of the Canary, in order (05 V2), or `fallbackUrl` (`-event-webhook`) when it has none. Each refusal
 * is returned, for the log; one does not keep the others from being told.
 */
export async function sendEvent(
  canary: Canary,
  event: HookEvent,
  context: HooksContext & { fallbackUrl?: string; findOwnWay?: FindWay | undefined },
): Promise<(HooksOutcome & { outcome: 'refused' })[]> {
  const own = hooksOf(canary, 'event');
  const fallback: Webhook[] = context.fallbackUrl ? [{ name: 'event-webhook', type: 'event', url: context.fallbackUrl }] : [];
  const refusals: (HooksOutcome & { outcome: 'refused' })[] = [];
  for (const webhook of own.length > 0 ? own : fallback) {
    const findWay = own.length > 0 ? context.findWay : context.findOwnWay;
    const answer = await callWebhook(webhook, eventPayload(canary, event, { ...context, webhook }), { ...context, findWay });
    if (answer.outcome === 'refused') refusals.push({ outcome: 'refused', webhook: webhook.name, reason: answer.reason });
  }
  return refusals;
}

/** An empty type is `rollout`. */
export function hooksOf(canary: Canary, type: HookType): Webhook[] {
  const wanted = type || 'rollout';
  return (canary.spec.analysis.webhooks ?? []).filter((webhook) => (webhook.type || 'rollout') === wanted);
}
