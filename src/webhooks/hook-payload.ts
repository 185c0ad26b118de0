import type { Canary, Webhook } from '../api/canary.ts';
import type { Phase } from '../api/phase.ts';

/** The body of each webhook call. */
export interface HookPayload {
  /** Name of the Canary. */
  name: string;
  namespace: string;
  phase: Phase;
  /** Names the revision under test, and at `confirm-rollout` the previous revision, as Flagger's does. Opaque to receivers. */
  checksum: string;
  /** The revision that the call is about: at `confirm-rollout` the revision that would start. */
  revision: string;
  /** Percent of the requests that each side gets, as recorded: a copied request is none. */
  canaryWeight: number;
  primaryWeight: number;
  /** Left out when empty. */
  metadata?: Record<string, string>;
}

/** Description of the release in a call; `revision` is the one of the checksum unless it is named. */
export type ReleaseInCall = Pick<HookPayload, 'phase' | 'checksum'> & { revision?: string | undefined };

/** Fields of every payload. Flagger's payload has the same keys up to `checksum`. */
function basics(canary: Canary, { phase, checksum, revision = checksum }: ReleaseInCall): HookPayload {
  const { name, namespace } = canary.metadata;
  const canaryWeight = canary.status?.canaryWeight ?? 0;
  return { name, namespace, phase, checksum, revision, canaryWeight, primaryWeight: 100 - canaryWeight };
}

export function hookPayload(canary: Canary, webhook: Webhook, about: ReleaseInCall): HookPayload {
  const metadata = webhook.metadata ?? {};
  return { ...basics(canary, about), ...(Object.keys(metadata).length > 0 && { metadata }) };
}

/** One recorded action, for webhooks of type `event`. */
export interface HookEvent {
  message: string;
  type: 'Normal' | 'Warning';
  /** Epoch milliseconds. */
  atMs: number;
}

/** The body of an `event` call; the webhook's own metadata cannot override the three keys of the event. */
export function eventPayload(canary: Canary, event: HookEvent, { webhook, ...about }: ReleaseInCall & { webhook?: Webhook }): HookPayload {
  const metadata = { ...webhook?.metadata, eventMessage: event.message, eventType: event.type, timestamp: String(event.atMs) };
  return { ...basics(canary, about), metadata };
}
