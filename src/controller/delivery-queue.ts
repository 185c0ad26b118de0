import type { Canary } from '../api/canary.ts';
import type { Delivery } from '../api/canary-status.ts';
import type { Reason } from '../engine/reasons.ts';
import type { Clock } from '../kube/clock.ts';
import type { Notifier } from '../notifiers/notifier.ts';
import type { ReadSecret } from '../webhooks/hook-secret.ts';
import { runHooks, sendEvent } from '../webhooks/run-hooks.ts';

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 300_000;

const REASON: Record<Delivery['outcome'], Reason> = {
  Succeeded: 'Succeeded',
  Failed: 'Failed',
  superseded: 'Superseded',
  cancelled: 'Cancelled',
};

export interface DeliveryQueueOptions {
  clock: Clock;
  notifier?: Notifier | undefined;
  eventWebhook: string;
  secret: ReadSecret;
  log: { warn(fields: object, message: string): void };
  /** Writes the Kubernetes Event of the outcome; never fails. */
  record(canary: Canary, event: { type: 'Normal' | 'Warning'; reason: string; message: string }): Promise<void>;
  /** The receiver has answered, so that the delivery may leave the status. */
  onDelivered(canaryUid: string, key: string): void;
}

/**
 * Carries terminal messages to their receivers, never in the way of a tick. What is to be delivered is listed in the status before the
 * first attempt and leaves it when answered; a failure is tried again with back-off, and after a restart under the same key (I6).
 */
export class DeliveryQueue {
  readonly #options: DeliveryQueueOptions;
  readonly #underway = new Map<string, AbortController>();
  /** Answered, but still listed where the last look came from: not to be sent again. */
  readonly #answered = new Set<string>();

  constructor(options: DeliveryQueueOptions) {
    this.#options = options;
  }

  /** Starts what the status lists and is neither under way nor answered. */
  deliver(canary: Canary): void {
    const listed = (canary.status?.release?.deliveries ?? []).map((delivery) => ({ delivery, id: idOf(canary, delivery) }));
    const ids = new Set(listed.map(({ id }) => id));
    for (const id of this.#answered) if (id.startsWith(`${canary.metadata.uid}/`) && !ids.has(id)) this.#answered.delete(id);
    for (const { delivery, id } of listed) {
      if (this.#underway.has(id) || this.#answered.has(id)) continue;
      const abort = new AbortController();
      this.#underway.set(id, abort);
      void this.#attempt(canary, delivery, id, abort.signal, FIRST_PAUSE_MS);
    }
  }

  /** Messages under way, for the metrics. */
  get depth(): number {
    return this.#underway.size;
  }

  /** Everything of one Canary, or all: what was not answered stays listed for whoever comes next. */
  stop(canaryUid = ''): void {
    for (const [id, abort] of this.#underway) {
      if (!id.startsWith(canaryUid)) continue;
      abort.abort(new Error('deliveries stopped'));
      this.#underway.delete(id);
    }
    for (const id of this.#answered) if (id.startsWith(canaryUid)) this.#answered.delete(id);
  }

  async #attempt(canary: Canary, delivery: Delivery, id: string, signal: AbortSignal, pauseMs: number): Promise<void> {
    const reason = await this.#send(canary, delivery, signal).catch((error: unknown) => String(error));
    if (signal.aborted) return;
    if (reason === undefined) {
      this.#underway.delete(id);
      this.#answered.add(id);
      this.#options.onDelivered(canary.metadata.uid, delivery.key);
      return;
    }
    const { namespace, name } = canary.metadata;
    this.#options.log.warn({ canary: `${namespace}/${name}`, kind: delivery.kind, reason, retryInMs: pauseMs }, 'delivery failed');
    this.#options.clock.setTimer(pauseMs, () => {
      if (!signal.aborted) void this.#attempt(canary, delivery, id, signal, Math.min(pauseMs * 2, LONGEST_PAUSE_MS));
    });
  }

  /** Undefined when the receiver has answered, else why not. */
  async #send(canary: Canary, delivery: Delivery, signal: AbortSignal): Promise<string | undefined> {
    const { notifier, eventWebhook, clock, secret } = this.#options;
    const phase = delivery.outcome === 'Failed' ? 'Failed' : 'Succeeded';
    const checksum = canary.status?.release?.revision ?? '';
    switch (delivery.kind) {
      case 'post-rollout': {
        const answer = await runHooks(canary, 'post-rollout', { phase, checksum, signal, secret });
        return answer.outcome === 'passed' ? undefined : `${answer.webhook}: ${answer.reason}`;
      }
      case 'event': {
        const type = phase === 'Failed' ? 'Warning' : 'Normal';
        // A repeat after a crash is the same event again, and counted as such.
        await this.#options.record(canary, { type, reason: REASON[delivery.outcome], message: delivery.message });
        const event = { message: delivery.message, type, atMs: clock.nowMs() } as const;
        const refusals = await sendEvent(canary, event, { phase, checksum, signal, secret, fallbackUrl: eventWebhook });
        return refusals[0]?.reason;
      }
      case 'alert': {
        if (!notifier) return undefined;
        const { name, namespace } = canary.metadata;
        const severity = phase === 'Failed' ? 'error' : 'info';
        const sent = await notifier.send(
          {
            key: delivery.key,
            canary: { name, namespace },
            severity,
            reason: REASON[delivery.outcome],
            text: delivery.message,
            fields: [],
            atMs: delivery.sinceMs,
          },
          signal,
        );
        return sent.ok ? undefined : sent.reason;
      }
      default:
        return delivery.kind satisfies never;
    }
  }
}

function idOf(canary: Canary, delivery: Delivery): string {
  return `${canary.metadata.uid}/${delivery.key}`;
}
