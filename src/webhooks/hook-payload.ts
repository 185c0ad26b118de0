import type { Canary, Webhook } from '../api/canary.ts';
import type { Phase } from '../api/phase.ts';

/** The body of each webhook call (02 §8). */
export interface HookPayload {
  /** Of the Canary. */
  name: string;
  namespace: string;
  phase: Phase;
  /** Names the revision under test; opaque to receivers. */
  checksum: string;
  /** The same under its own name. */
  revision: string;
  /** Percent of the requests that each side gets, as recorded: a copied request is none. */
  canaryWeight: number;
  primaryWeight: number;
  /** Left out when empty. */
  metadata?: Record<string, string>;
}

/** What every payload holds. `checksum` and what stands before it are the established keys (02 §8). */
function basics(canary: Canary, phase: Phase, checksum: string): HookPayload {
  const { name, namespace } = canary.metadata;
  const canaryWeight = canary.status?.canaryWeight ?? 0;
  return { name, namespace, phase, checksum, revision: checksum, canaryWeight, primaryWeight: 100 - canaryWeight };
}

export function hookPayload(canary: Canary, webhook: Webhook, phase: Phase, checksum: string): HookPayload {
  const metadata = webhook.metadata ?? {};
  return { ...basics(canary, phase, checksum), ...(Object.keys(metadata).length > 0 && { metadata }) };
}

/** One recorded action, for webhooks of type `event`. */
export interface HookEvent {
  message: string;
  type: 'Normal' | 'Warning';
  /** Epoch milliseconds. */
  atMs: number;
}

/** The body of an `event` call; the webhook's own metadata cannot override the three keys of the event (05 V3). */
export function eventPayload(
  canary: Canary,
  event: HookEvent,
  { phase, checksum, webhook }: { phase: Phase; checksum: string; webhook?: Webhook },
): HookPayload {
  const metadata = { ...webhook?.metadata, eventMessage: event.message, eventType: event.type, timestamp: String(event.atMs) };
  return { ...basics(canary, phase, checksum), metadata };
}
