import { asLease, type LeaseSpec } from '../api/kinds/lease.ts';
import type { KubeObject, ObjectRef } from '../api/kube-object.ts';
import type { Clock } from '../base/clock.ts';
import { RequestTimeoutError } from './errors.ts';
import { slowAnnotation } from './slow-note.ts';

export interface LeaseTimes {
  /** Time without a renewal after which a standby takes over. */
  leaseDurationMs: number;
  /** Time after its last renewal during which the holder still starts writes. */
  renewDeadlineMs: number;
  retryPeriodMs: number;
}

export type LeaseRef = ObjectRef & { namespace: string };

/** Times of a lease with their defaults; throws where they do not follow each other. */
export function leaseTimes({ leaseDurationMs = 15_000, renewDeadlineMs = 10_000, retryPeriodMs = 2_000 }: Partial<LeaseTimes>): LeaseTimes {
  if (!(retryPeriodMs < renewDeadlineMs && renewDeadlineMs < leaseDurationMs))
    throw new Error('the lease needs retryPeriodMs < renewDeadlineMs < leaseDurationMs');
  return { leaseDurationMs, renewDeadlineMs, retryPeriodMs };
}

export const leaseRef = (namespace: string, name: string): LeaseRef => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  namespace,
  name,
});

export const leaseSpecOf = (lease: KubeObject): LeaseSpec => asLease(lease).spec ?? {};

/** '' where no one holds it. */
export const holderOf = (lease: KubeObject | undefined): string => (lease === undefined ? '' : (leaseSpecOf(lease).holderIdentity ?? ''));

interface LeaseContent {
  ref: LeaseRef;
  /** The Lease that was read, `undefined` to create it. */
  previous: KubeObject | undefined;
  /** '' releases it. */
  holder: string;
  nowMs: number;
  leaseDurationMs: number;
  /** See `slowNote` of `LeaseOptions`. */
  note?: string | undefined;
}

/** The Lease with this holder, renewed now; what others wrote into it stays. */
export function leaseWith({ ref, previous, holder, nowMs, leaseDurationMs, note }: LeaseContent): KubeObject {
  const now = microTime(nowMs);
  const spec = previous === undefined ? {} : leaseSpecOf(previous);
  const isHandover = spec.holderIdentity !== holder && holder !== '';
  const { metadata, ...rest } = previous ?? { ...ref, metadata: { name: ref.name, namespace: ref.namespace } };
  return {
    ...rest,
    metadata: noted(metadata, holder === '' ? undefined : note),
    spec: {
      ...spec,
      holderIdentity: holder,
      leaseDurationSeconds: holder === '' ? 1 : Math.ceil(leaseDurationMs / 1000),
      renewTime: now,
      acquireTime: isHandover ? now : (spec.acquireTime ?? now),
      leaseTransitions: (spec.leaseTransitions ?? 0) + (isHandover && previous !== undefined ? 1 : 0),
    },
  };
}

/** The label finds the Lease under any name and namespace. */
function noted({ annotations, labels, ...metadata }: KubeObject['metadata'], note: string | undefined): KubeObject['metadata'] {
  const changed = (map: Record<string, string> | undefined, value: string | undefined): Record<string, string> | undefined => {
    const { [slowAnnotation]: _, ...others } = map ?? {};
    const next = value === undefined ? others : { ...others, [slowAnnotation]: value };
    return Object.keys(next).length === 0 ? undefined : next;
  };
  const [annotationsNow, labelsNow] = [changed(annotations, note), changed(labels, note === undefined ? undefined : 'true')];
  return { ...metadata, ...(annotationsNow && { annotations: annotationsNow }), ...(labelsNow && { labels: labelsNow }) };
}

/** MicroTime: RFC 3339 with six digits. */
const microTime = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z');

/** Age of another holder's record, on our own monotonic clock: another machine's timestamps only show that the record changed. */
export class LeaseSighting {
  readonly #leaseDurationMs: number;
  #observed: { record: string; atMs: number; holder: string } | undefined;

  constructor(leaseDurationMs: number) {
    this.#leaseDurationMs = leaseDurationMs;
  }

  /** The holder that was seen last, `undefined` if none was looked at since `forget`. */
  get holder(): string | undefined {
    return this.#observed?.holder;
  }

  forget(): void {
    this.#observed = undefined;
  }

  /** Time from which it is free, in monotonic milliseconds: released, `own` from a request whose answer was lost, or not renewed for its duration. */
  freeFromMs(lease: KubeObject, own: string, nowMs: number): number {
    const { holderIdentity: holder = '', renewTime = '', leaseDurationSeconds } = leaseSpecOf(lease);
    const record = `${holder} ${renewTime} ${lease.metadata.resourceVersion}`;
    const observed = this.#observed?.record === record ? this.#observed : { record, atMs: nowMs, holder };
    this.#observed = observed;
    if (holder === '' || holder === own) return observed.atMs;
    // The holder's own promise counts: its settings can differ from ours during a roll-out.
    return observed.atMs + (leaseDurationSeconds === undefined ? this.#leaseDurationMs : leaseDurationSeconds * 1000);
  }
}

/** The time in which this process holds a lease: from a renewal until it is ended, or not renewed for `renewDeadlineMs`. */
export class LeaseTerm {
  readonly #clock: Pick<Clock, 'monotonicMs' | 'setTimer'>;
  readonly #renewDeadlineMs: number;
  readonly #onPassed: () => void;
  readonly #ended = new AbortController();
  #untilMs = 0;
  #cancel: () => void = () => undefined;

  /** `onPassed`: its time is over, and it was not ended. */
  constructor(clock: Pick<Clock, 'monotonicMs' | 'setTimer'>, renewDeadlineMs: number, onPassed: () => void) {
    this.#clock = clock;
    this.#renewDeadlineMs = renewDeadlineMs;
    this.#onPassed = onPassed;
  }

  /** Monotonic milliseconds until which a write may start. */
  get untilMs(): number {
    return this.#untilMs;
  }

  /** Aborts at its end. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  /** `atMs`: monotonic time before the renewal was sent. */
  renewed(atMs: number): void {
    this.#cancel();
    this.#untilMs = atMs + this.#renewDeadlineMs;
    this.#cancel = this.#clock.setTimer(Math.max(0, this.#untilMs - this.#clock.monotonicMs()), this.#onPassed);
  }

  end(why: string): void {
    this.#cancel();
    this.#ended.abort(new Error(why));
  }
}

/** Runs a request for a lease, which ends with the limit or with `stopping`. */
export async function withinLimit<T>(
  clock: Clock,
  { limitMs, stopping }: { limitMs: number; stopping: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const abort = (): void => limit.abort(new RequestTimeoutError('the request for the lease', limitMs));
  const cancel = clock.setTimer(Math.max(0, limitMs), abort);
  stopping.addEventListener('abort', abort, { once: true });
  try {
    return await work(limit.signal);
  } finally {
    cancel();
    stopping.removeEventListener('abort', abort);
  }
}
