import type { Canary } from '../../api/canary.ts';
import type { Delivery } from '../../api/canary-status.ts';
import type { Reason } from '../../api/codes/codes.ts';
import type { Clock } from '../../base/clock.ts';
import type { EventOutcome, EventText } from '../../kube/events.ts';
import type { MessageSource, SendAlert } from './send-alert.ts';
import { type SendHooksOptions, sendHooks } from './send-hooks.ts';

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 300_000;
/** A receiver that is away for a moment is not worth an event: it is reported from this pause on. */
const REPORT_FROM_MS = 8_000;

const REASON: Record<NonNullable<Delivery['outcome']>, Reason> = {
  Succeeded: 'Succeeded',
  Failed: 'Failed',
  superseded: 'Superseded',
  cancelled: 'Cancelled',
};

export interface DeliveryQueueOptions extends SendHooksOptions {
  clock: Clock;
  sendAlert: SendAlert;
  log: { warn(fields: object, message: string): void };
  /** The lease is ours: a standby sends nothing (I9). */
  mayWrite(): boolean;
  /** Writes the Kubernetes Event of the outcome; never fails. `isAgain`: an attempt before it had no answer. */
  record(canary: MessageSource, event: EventText, isAgain?: boolean): Promise<EventOutcome>;
  /** A release has ended like this: called once for all attempts. */
  onEnding?(canary: MessageSource, reason: Reason): void;
  /** The receiver has accepted the message, or no attempt can succeed: the delivery can leave the status. */
  onDelivered(canaryUid: string, key: string): void;
}

/** Reason for a failed attempt. `isLasting`: it stays until it is corrected. `isFinal`: nothing is tried again. */
interface Failure {
  reason: string;
  isLasting?: boolean;
  isFinal?: boolean | undefined;
  retryAfterMs?: number | undefined;
}

interface DeliveryAttempt {
  canary: MessageSource;
  delivery: Delivery;
  id: string;
  signal: AbortSignal;
  isReported: boolean;
  /** Made before, by this process. */
  isAgain: boolean;
}

/**
 * Delivers messages to their receivers, without delaying a release. A message is listed in the status before the first attempt and leaves it when it is accepted. A
 * failure is tried again with back-off, and after a restart under the same key (I6). Each message waits only for its own receiver.
 */
export class DeliveryQueue {
  readonly #options: DeliveryQueueOptions;
  readonly #underway = new Map<string, { delivery: Delivery; abort: AbortController; canary: MessageSource }>();
  /** Accepted, or refused for good, but still listed in the status that was read last: not to be sent again. */
  readonly #settled = new Set<string>();

  constructor(options: DeliveryQueueOptions) {
    this.#options = options;
  }

  /**
   * Starts the listed deliveries of the status that are neither under way nor settled, and ends deliveries that it no longer lists. Hooks are not started without
   * a spec.
   */
  deliver(canary: MessageSource): void {
    const listed = (canary.status?.release?.deliveries ?? []).map((delivery) => ({ delivery, id: idOf(canary, delivery) }));
    const ids = new Set(listed.map(({ id }) => id));
    const isGone = (id: string): boolean => id.startsWith(prefixOf(canary)) && !ids.has(id);
    for (const id of this.#settled) if (isGone(id)) this.#settled.delete(id);
    for (const [id, { abort }] of this.#underway) {
      if (!isGone(id)) continue;
      abort.abort(new Error('given up'));
      this.#underway.delete(id);
    }
    const inOrder = new Map<string, DeliveryAttempt[]>();
    for (const { delivery, id } of listed) {
      const known = this.#underway.get(id);
      // Later attempts know what has happened meanwhile.
      if (known) known.canary = canary;
      if (known || this.#settled.has(id) || (canary.spec === undefined && isHook(delivery))) continue;
      const abort = new AbortController();
      this.#underway.set(id, { delivery, abort, canary });
      if (delivery.kind === 'event') this.#options.onEnding?.(canary, REASON[delivery.outcome ?? 'Succeeded']);
      const row = delivery.hook ? delivery.kind : id;
      inOrder.set(row, [...(inOrder.get(row) ?? []), { canary, delivery, id, signal: abort.signal, isReported: false, isAgain: false }]);
    }
    for (const row of inOrder.values()) void this.#firstAttempts(row);
  }

  /** Messages under way, for the metrics. */
  get depth(): number {
    return this.#underway.size;
  }

  /** Everything of one Canary, or all. Returns the messages that no receiver has accepted: they stay listed for the next leader. */
  stop(canary?: { metadata: Pick<Canary['metadata'], 'namespace' | 'uid'> }): readonly Delivery[] {
    const prefix = canary ? prefixOf(canary) : '';
    const stopped: Delivery[] = [];
    for (const [id, { delivery, abort }] of this.#underway) {
      if (!id.startsWith(prefix)) continue;
      abort.abort(new Error('deliveries stopped'));
      this.#underway.delete(id);
      stopped.push(delivery);
    }
    for (const id of this.#settled) if (id.startsWith(prefix)) this.#settled.delete(id);
    return stopped;
  }

  /** Hooks of one type are called in the order of the spec. A failed hook is tried again without the others. */
  async #firstAttempts(row: readonly DeliveryAttempt[]): Promise<void> {
    for (const attempt of row) await this.#attempt(attempt, FIRST_PAUSE_MS);
  }

  async #attempt(attempt: DeliveryAttempt, pauseMs: number): Promise<void> {
    const { canary, delivery, id, signal } = attempt;
    if (signal.aborted) return;
    const mayWrite = this.#options.mayWrite();
    const failure = mayWrite ? await this.#try(attempt) : { reason: 'the lease is not ours' };
    if (signal.aborted) return;
    attempt.isAgain ||= mayWrite;
    if (failure === undefined || failure.isFinal) {
      if (failure) this.#report(attempt, failure.reason);
      this.#underway.delete(id);
      this.#settled.add(id);
      this.#options.onDelivered(canary.metadata.uid, delivery.key);
      return;
    }
    // A user has to correct it first: frequent attempts would only be a nuisance.
    const waitMs = failure.isLasting ? LONGEST_PAUSE_MS : Math.min(Math.max(pauseMs, failure.retryAfterMs ?? 0), LONGEST_PAUSE_MS);
    const { namespace, name } = canary.metadata;
    const canaryLabel = `${namespace}/${name}`;
    this.#options.log.warn({ canary: canaryLabel, kind: delivery.kind, reason: failure.reason, retryInMs: waitMs }, 'delivery failed');
    if (waitMs >= REPORT_FROM_MS) this.#report(attempt, failure.reason);
    const cancel = this.#options.clock.setTimer(waitMs, () => {
      signal.removeEventListener('abort', cancel);
      void this.#attempt(attempt, Math.min(pauseMs * 2, LONGEST_PAUSE_MS));
    });
    // A timer that is left behind keeps the process alive.
    signal.addEventListener('abort', cancel, { once: true });
  }

  /** Once for all attempts of a message. */
  #report(attempt: DeliveryAttempt, reason: string): void {
    const { canary, delivery } = attempt;
    if (attempt.isReported) return;
    attempt.isReported = true;
    const { to } = delivery.alert ?? {};
    const receiver = to ? `AlertProvider ${to.namespace}/${to.name}` : 'the global receiver';
    const failed =
      delivery.kind === 'alert'
        ? { reason: 'AlertFailed', message: `Alert not taken by ${receiver}: ${reason}` }
        : { reason: 'HookFailed', message: `${delivery.kind} failed: ${reason}` };
    void this.#options.record(canary, { type: 'Warning', ...failed });
  }

  /** Does not wait: a repeat after a crash is the same event again, and counted as such (E85). */
  #recordPassed(canary: MessageSource, webhook: string): void {
    const message = `The post-rollout hook ${webhook} passed`;
    void this.#options.record(canary, { type: 'Normal', reason: 'HookPassed', message });
  }

  async #try(attempt: DeliveryAttempt): Promise<Failure | undefined> {
    try {
      return await this.#send(attempt);
    } catch (error) {
      // An error of an alert's receiver holds a secret value: words of libraries can quote it.
      return { reason: attempt.delivery.kind === 'alert' ? 'it could not be sent' : String(error) };
    }
  }

  /** Undefined when the receiver has accepted it. */
  async #send({ canary, delivery, signal, isAgain, id }: DeliveryAttempt): Promise<Failure | undefined> {
    switch (delivery.kind) {
      case 'post-rollout':
      case 'event-webhook': {
        const { spec } = canary;
        if (spec === undefined) return { reason: 'the spec is refused' };
        const { passed, refused } = await sendHooks({ ...canary, spec }, delivery, this.#options, signal);
        // An attempt that is repeated would report its passed hooks again.
        if (delivery.kind === 'post-rollout' && refused?.isFinal !== false) for (const name of passed) this.#recordPassed(canary, name);
        return refused && { reason: `${refused.webhook}: ${refused.reason}`, isFinal: refused.isFinal };
      }
      case 'event': {
        const type = delivery.outcome === 'Failed' ? 'Warning' : 'Normal';
        // A repeat after a crash is the same event again, and counted as such.
        const event = { type, reason: REASON[delivery.outcome ?? 'Succeeded'], message: delivery.message } as const;
        const outcome = await this.#options.record(canary, event, isAgain);
        // A refusal of the API server is final, and is in the log.
        return outcome === 'unanswered' ? { reason: 'the API server did not take the Event' } : undefined;
      }
      case 'alert': {
        const sent = await this.#options.sendAlert(this.#underway.get(id)?.canary ?? canary, delivery, signal);
        if (sent.ok) return undefined;
        return { reason: sent.reason, isLasting: !sent.mayRetry, isFinal: sent.isFinal, retryAfterMs: sent.retryAfterMs };
      }
      default:
        return delivery.kind satisfies never;
    }
  }
}

const isHook = ({ kind }: Delivery): boolean => kind === 'post-rollout' || kind === 'event-webhook';

function idOf(canary: MessageSource, delivery: Delivery): string {
  return prefixOf(canary) + delivery.key;
}

/** Includes the namespace: a uid can be known in another one. */
function prefixOf({ metadata }: { metadata: Pick<Canary['metadata'], 'namespace' | 'uid'> }): string {
  return `${metadata.namespace}/${metadata.uid}/`;
}
