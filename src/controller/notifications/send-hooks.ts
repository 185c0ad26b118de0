import type { Canary, Webhook } from '../../api/canary.ts';
import type { Delivery } from '../../api/canary-status.ts';
import type { ReadSecret } from '../../api/secret-use.ts';
import type { Clock } from '../../base/clock.ts';
import { callWebhook, type HookOutcome, type TimeCall } from '../../webhooks/call-webhook.ts';
import { eventPayload, hookPayload } from '../../webhooks/hook-payload.ts';
import { eventReceivers, hooksOf } from '../../webhooks/run-hooks.ts';
import type { CallsOf } from '../outgoing/outgoing-calls.ts';

export interface SendHooksOptions {
  eventWebhook: string;
  secret: ReadSecret;
  callsOf?: CallsOf;
  timeCall?: TimeCall;
  /** Default: the machine's. */
  clock?: Clock;
}

/** A status that says that the call itself is wrong. After another one of 400 to 499 a new attempt could pass. */
const isFinalStatus = (status: number): boolean => status >= 400 && status < 500 && ![408, 425, 429].includes(status);

export interface SentHooks {
  /** Names of the passed webhooks, empty if the spec no longer names any. */
  passed: readonly string[];
  refused?: { webhook: string; reason: string; isFinal: boolean };
}

/** Calls the webhook of a delivery, or all webhooks that an earlier version listed as one. A refusal that is not final ends it. */
export async function sendHooks(
  canary: Canary,
  delivery: Delivery,
  { eventWebhook, secret, callsOf, timeCall, clock }: SendHooksOptions,
  signal: AbortSignal,
): Promise<SentHooks> {
  const phase = delivery.outcome === 'Failed' ? 'Failed' : 'Succeeded';
  const checksum = delivery.revision ?? canary.status?.release?.revision ?? '';
  const isEvent = delivery.kind === 'event-webhook';
  const type = phase === 'Failed' ? 'Warning' : 'Normal';
  const { turns, egress, ownEgress } = callsOf?.(canary.metadata.namespace) ?? {};
  const call = (webhook: Webhook, key: string): Promise<HookOutcome> => {
    const payload = isEvent
      ? eventPayload(canary, { message: delivery.message, type, atMs: delivery.sinceMs }, { phase, checksum, webhook })
      : hookPayload(canary, webhook, { phase, checksum });
    const policy = isEvent && !delivery.hook ? ownEgress : egress;
    return callWebhook(webhook, payload, { key, signal, clock, secret, timeCall, turns, egress: policy });
  };
  const hooks = isEvent ? eventReceivers(canary, delivery.hook ? '' : eventWebhook) : hooksOf(canary, 'post-rollout');
  const passed: string[] = [];
  let refused: SentHooks['refused'];
  for (const webhook of named(hooks, delivery.hook)) {
    // A delivery that an earlier version has listed for all hooks has one key for all of them.
    const answer = await call(webhook, delivery.hook ? delivery.key : `${delivery.key}/${webhook.name}`);
    if (answer.outcome === 'passed') {
      passed.push(webhook.name);
      continue;
    }
    const isFinal = answer.status !== undefined && isFinalStatus(answer.status);
    refused = { webhook: webhook.name, reason: answer.reason, isFinal };
    // A final refusal is not waited for: the hooks after it are called.
    if (!isFinal) break;
  }
  return { passed, ...(refused && { refused }) };
}

function named(hooks: readonly Webhook[], hook: Delivery['hook']): readonly Webhook[] {
  if (!hook) return hooks;
  const one = hooks.filter(({ name }) => name === hook.name)[hook.nth];
  return one ? [one] : [];
}
