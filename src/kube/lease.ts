import { asLease, type LeaseSpec } from '../api/kinds/lease.ts';
import type { KubeObject, ObjectRef } from '../api/kube-object.ts';
import type { Clock } from './clock.ts';
import { sleep } from './clock.ts';
import type { Cluster } from './cluster.ts';
import { isConflict, isNotFound, RequestTimeoutError } from './errors.ts';
import { slowAnnotation } from './slow-note.ts';

export interface LeaseOptions {
  namespace: string;
  name: string;
  /** Unique per process, not only per pod: a restarted process must not take its predecessor's lease for its own. */
  identity: string;
  /** After how long without a renewal a standby takes over. 15 000 by default. */
  leaseDurationMs?: number;
  /** How long after its last renewal the leader still starts writes. 10 000 by default. */
  renewDeadlineMs?: number;
  /** 2 000 by default. */
  retryPeriodMs?: number;
  clock: Clock;
  /** The signal aborts when the lease is lost or given up. */
  onLeading(signal: AbortSignal): void;
  /** Another holds it, or it could not be renewed. */
  onLost(): void;
  /** Given up by `stop`: no standby waits for its end. */
  onReleased?(): void;
  /** What waits while the API server is slow, for an annotation at the next renewal; undefined removes it. */
  slowNote?(): string | undefined;
  /** Another holder (or none: '') was seen. */
  onObserved?(holder: string): void;
  log?: { warn(fields: object, message: string): void } | undefined;
}

export interface Leadership {
  isLeader(): boolean;
  /** Monotonic milliseconds until which a write may start: renewedAt + renewDeadline. 0 for a standby. */
  mayWriteUntilMs(): number;
  /** Aborts when the lease is lost or given up: a write under way ends with it. Undefined for a standby. */
  term(): AbortSignal | undefined;
  /** Stops campaigning and releases the lease, so that a standby takes over at its next look. */
  stop(): Promise<void>;
}

interface Term {
  renewedAtMs: number;
  lease: KubeObject;
  leading: AbortController;
  cancelDeadline: () => void;
}

/** Campaigns for one Lease until stopped; see `LeaderElection`. */
export function electLeader(cluster: Cluster, options: LeaseOptions): Leadership {
  return new LeaderElection(cluster, options);
}

/**
 * Every duration is measured on our own monotonic clock: another machine's timestamps only show that the record changed. `renewedAt` is the
 * time before the request was sent, the earliest the server may have counted from.
 */
class LeaderElection implements Leadership {
  readonly #cluster: Cluster;
  readonly #options: LeaseOptions;
  readonly #times: Required<Pick<LeaseOptions, 'leaseDurationMs' | 'renewDeadlineMs' | 'retryPeriodMs'>>;
  readonly #ref: ObjectRef & { namespace: string };
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #held: Term | undefined;
  #observed: { record: string; atMs: number; holder: string } | undefined;

  constructor(cluster: Cluster, options: LeaseOptions) {
    const { namespace, name, leaseDurationMs = 15_000, renewDeadlineMs = 10_000, retryPeriodMs = 2_000 } = options;
    if (!(retryPeriodMs < renewDeadlineMs && renewDeadlineMs < leaseDurationMs)) {
      throw new Error('the lease needs retryPeriodMs < renewDeadlineMs < leaseDurationMs');
    }
    this.#cluster = cluster;
    this.#options = options;
    this.#times = { leaseDurationMs, renewDeadlineMs, retryPeriodMs };
    this.#ref = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace, name };
    this.#running = this.#run();
  }

  isLeader(): boolean {
    return this.#held !== undefined && this.#options.clock.monotonicMs() < this.#deadlineOf(this.#held.renewedAtMs);
  }

  mayWriteUntilMs(): number {
    return this.#held === undefined ? 0 : this.#deadlineOf(this.#held.renewedAtMs);
  }

  term(): AbortSignal | undefined {
    return this.#held?.leading.signal;
  }

  async stop(): Promise<void> {
    if (this.#stopping.signal.aborted) return this.#running;
    this.#stopping.abort(new Error('stopped'));
    await this.#running; // no renewal of ours may come after the release
    const last = this.#held;
    this.#endTerm('the lease is released');
    if (last !== undefined) await this.#release(last.lease, this.#deadlineOf(last.renewedAtMs));
  }

  #deadlineOf(renewedAtMs: number): number {
    return renewedAtMs + this.#times.renewDeadlineMs;
  }

  get #label(): string {
    return `${this.#ref.namespace}/${this.#ref.name}`;
  }

  #won(lease: KubeObject, renewedAtMs: number): void {
    const leading = this.#held?.leading ?? new AbortController();
    const isNew = this.#held === undefined;
    this.#held?.cancelDeadline();
    const leftMs = Math.max(0, this.#deadlineOf(renewedAtMs) - this.#options.clock.monotonicMs());
    this.#held = {
      renewedAtMs,
      lease,
      leading,
      cancelDeadline: this.#options.clock.setTimer(leftMs, () => this.#lost('renew deadline passed')),
    };
    this.#observed = undefined;
    if (isNew) this.#options.onLeading(leading.signal);
  }

  #lost(why: string): void {
    if (!this.#endTerm(`the lease is lost: ${why}`)) return;
    this.#options.log?.warn({ lease: this.#label, why }, 'leadership lost');
    this.#options.onLost();
  }

  /** False where nothing was held. */
  #endTerm(why: string): boolean {
    if (this.#held === undefined) return false;
    const { leading, cancelDeadline } = this.#held;
    this.#held = undefined;
    cancelDeadline();
    leading.abort(new Error(why));
    return true;
  }

  #leaseOf(previous: KubeObject | undefined, holder: string): KubeObject {
    const now = microTime(this.#options.clock.nowMs());
    const spec = previous === undefined ? {} : specOf(previous);
    const isHandover = spec.holderIdentity !== holder && holder !== '';
    const { metadata, ...rest } = previous ?? { ...this.#ref, metadata: { name: this.#ref.name, namespace: this.#ref.namespace } };
    return {
      ...rest,
      metadata: noted(metadata, holder === '' ? undefined : this.#options.slowNote?.()),
      spec: {
        ...spec,
        holderIdentity: holder,
        leaseDurationSeconds: holder === '' ? 1 : Math.ceil(this.#times.leaseDurationMs / 1000),
        renewTime: now,
        acquireTime: isHandover ? now : (spec.acquireTime ?? now),
        leaseTransitions: (spec.leaseTransitions ?? 0) + (isHandover && previous !== undefined ? 1 : 0),
      },
    };
  }

  /** Each request ends with our time to write at the latest, so that no renewal comes back after it. */
  async #within<T>(limitMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const limit = new AbortController();
    const abort = (): void => limit.abort(new RequestTimeoutError('the request for the lease', limitMs));
    const cancel = this.#options.clock.setTimer(Math.max(0, limitMs), abort);
    this.#stopping.signal.addEventListener('abort', abort, { once: true });
    try {
      return await work(limit.signal);
    } finally {
      cancel();
      this.#stopping.signal.removeEventListener('abort', abort);
    }
  }

  async #renew(current: Term): Promise<void> {
    const startedAtMs = this.#options.clock.monotonicMs();
    const leftMs = this.#deadlineOf(current.renewedAtMs) - startedAtMs;
    try {
      const lease = await this.#within(leftMs, (signal) =>
        this.#cluster.replace(this.#leaseOf(current.lease, this.#options.identity), { signal }),
      );
      if (this.#held === current) this.#won(lease, startedAtMs);
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) throw error;
      await this.#lookAgain(current, startedAtMs);
    }
  }

  /** Another write came first: our own late renewal, an annotation, or another holder. */
  async #lookAgain(current: Term, startedAtMs: number): Promise<void> {
    const leftMs = this.#deadlineOf(current.renewedAtMs) - startedAtMs;
    const found = await this.#within(leftMs, (signal) => this.#cluster.get(this.#ref, { signal }));
    if (this.#held !== current) return;
    const holder = found === undefined ? '' : (specOf(found).holderIdentity ?? '');
    if (found === undefined || holder !== this.#options.identity) {
      this.#lost(holder === '' ? 'released by another writer' : `held by ${holder}`);
      return;
    }
    const lease = await this.#within(leftMs, (signal) => this.#cluster.replace(this.#leaseOf(found, this.#options.identity), { signal }));
    if (this.#held === current) this.#won(lease, startedAtMs);
  }

  async #campaign(): Promise<void> {
    const startedAtMs = this.#options.clock.monotonicMs();
    const found = await this.#within(this.#times.renewDeadlineMs, (signal) => this.#cluster.get(this.#ref, { signal }));
    if (found !== undefined && !this.#isFree(found)) return;
    const lease = this.#leaseOf(found, this.#options.identity);
    const answer = await this.#within(this.#times.renewDeadlineMs, (signal) =>
      found === undefined ? this.#cluster.create(lease, { signal }) : this.#cluster.replace(lease, { signal }),
    );
    if (!this.#stopping.signal.aborted && this.#options.clock.monotonicMs() < this.#deadlineOf(startedAtMs)) this.#won(answer, startedAtMs);
  }

  /** Free: released, ours from a request whose answer was lost, or not renewed for its duration while we looked. */
  #isFree(lease: KubeObject): boolean {
    const { holderIdentity: holder = '', renewTime = '', leaseDurationSeconds } = specOf(lease);
    const record = `${holder} ${renewTime} ${lease.metadata.resourceVersion}`;
    if (this.#observed?.record !== record) {
      if (this.#observed?.holder !== holder) this.#options.onObserved?.(holder);
      this.#observed = { record, atMs: this.#options.clock.monotonicMs(), holder };
    }
    if (holder === '' || holder === this.#options.identity) return true;
    // The holder's own promise counts: its settings may differ from ours during a roll-out.
    const promisedMs = leaseDurationSeconds === undefined ? this.#times.leaseDurationMs : leaseDurationSeconds * 1000;
    return this.#options.clock.monotonicMs() >= this.#observed.atMs + promisedMs;
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        if (this.#held === undefined) await this.#campaign();
        else await this.#renew(this.#held);
      } catch (err) {
        // A conflict in a campaign is a race that another won.
        if (!this.#stopping.signal.aborted && !isConflict(err))
          this.#options.log?.warn({ lease: this.#label, err }, 'lease request failed');
      }
      if (!this.#stopping.signal.aborted)
        await sleep(this.#options.clock, this.#times.retryPeriodMs, this.#stopping.signal).catch(() => undefined); // stopped: the loop ends
    }
  }

  /** A renewal whose answer we did not wait for may have been stored: then the lease is ours still, in another version. */
  async #clearHolder(lease: KubeObject, signal: AbortSignal): Promise<void> {
    try {
      await this.#cluster.replace(this.#leaseOf(lease, ''), { signal });
    } catch (error) {
      if (!isConflict(error)) throw error;
      const found = await this.#cluster.get(this.#ref, { signal });
      if (found !== undefined && specOf(found).holderIdentity === this.#options.identity)
        await this.#cluster.replace(this.#leaseOf(found, ''), { signal });
    }
  }

  async #release(lease: KubeObject, untilMs: number): Promise<void> {
    const limit = new AbortController();
    const cancel = this.#options.clock.setTimer(Math.max(0, untilMs - this.#options.clock.monotonicMs()), () =>
      limit.abort(new Error('too late to release the lease')),
    );
    try {
      await this.#clearHolder(lease, limit.signal);
      this.#options.onReleased?.();
    } catch (err) {
      this.#options.log?.warn({ lease: this.#label, err }, 'lease not released: it expires by itself');
    } finally {
      cancel();
    }
  }
}

/** The label finds the Lease, whatever its name and namespace. */
function noted({ annotations, labels, ...metadata }: KubeObject['metadata'], note: string | undefined): KubeObject['metadata'] {
  const changed = (map: Record<string, string> | undefined, value: string | undefined): Record<string, string> | undefined => {
    const { [slowAnnotation]: _, ...others } = map ?? {};
    const next = value === undefined ? others : { ...others, [slowAnnotation]: value };
    return Object.keys(next).length === 0 ? undefined : next;
  };
  const [annotationsNow, labelsNow] = [changed(annotations, note), changed(labels, note === undefined ? undefined : 'true')];
  return { ...metadata, ...(annotationsNow && { annotations: annotationsNow }), ...(labelsNow && { labels: labelsNow }) };
}

const specOf = (lease: KubeObject): LeaseSpec => asLease(lease).spec ?? {};

/** MicroTime: RFC 3339 with six digits. */
const microTime = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z');
