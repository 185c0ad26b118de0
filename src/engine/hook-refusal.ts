import type { Webhook } from '../api/canary.ts';
import type { Release } from '../api/canary-status.ts';

/** Types of webhooks that their owner opens; the other types judge. */
const GATES: ReadonlySet<string> = new Set(['confirm-rollout', 'confirm-traffic-increase', 'confirm-promotion']);

export const isGateType = (type: string): boolean => GATES.has(type);

/** Code of a webhook that has refused, or gave no answer. */
export function codeOfHook({
  type,
  isUnanswered,
}: Pick<NonNullable<Release['refusedBy']>, 'type' | 'isUnanswered'>): 'GateClosed' | 'HookRejected' | 'WebhookUnreachable' {
  if (isUnanswered) return 'WebhookUnreachable';
  return isGateType(type) ? 'GateClosed' : 'HookRejected';
}

/** Path of the address of a webhook in the Canary; undefined if the spec no longer has it. */
export function urlField(webhooks: readonly Webhook[] = [], { webhook, type }: { webhook: string; type: string }): string | undefined {
  const index = webhooks.findIndex((one) => one.name === webhook && (one.type || 'rollout') === (type || 'rollout'));
  return index < 0 ? undefined : `spec.analysis.webhooks[${index}].url`;
}
