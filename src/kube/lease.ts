import { asLease, type LeaseSpec } from '../api/kinds/lease.ts';
import type { KubeObject } from '../api/kube-object.ts';
import type { Clock } from './clock.ts';
import { sleep } from './clock.ts';
import type { Cluster } from './cluster.ts';
import { isConflict, isNotFound, RequestTimeoutError } from './errors.ts';

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
  /** Another holder (or none: '') was seen. */
  onObserved?(holder: string): void;
  log?: { warn(fields: object, message: string): void } | undefined;
}

export interface Leadership {
  isLeader(): boolean;
  /** Monotonic milliseconds until which a write may start: renewedAt + renewDeadline. 0 for a standby. */
  mayWriteUntilMs(): number;
  /** Stops campaigning and releases the lease, so that a standby takes over at its next look. */
  stop(): Promise<void>;
}

/**
 * Campaigns for one Lease until stopped. Every duration is measured on our own monotonic clock: another machine's timestamps
 * only show that the record changed. `renewedAt` is the time before the request was sent, the earliest the server may have counted from.
 */
export function electLeader(cluster: Cluster, options: LeaseOptions): Leadership {
  const { clock, identity, namespace, name } = options;
  const { leaseDurationMs = 15_000, renewDeadlineMs = 10_000, retryPeriodMs = 2_000 } = options;
  if (!(retryPeriodMs < renewDeadlineMs && renewDeadlineMs < leaseDurationMs)) {
    throw new Error('the lease needs retryPeriodMs < renewDeadlineMs < leaseDurationMs');
  }
  const ref = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace, name };
  const stopping = new AbortController();
  let held: { renewedAtMs: number; lease: KubeObject; leading: AbortController; cancelDeadline: () => void } | undefined;
  let observed: { record: string; atMs: number; holder: string } | undefined;

  const deadlineOf = (renewedAtMs: number): number => renewedAtMs + renewDeadlineMs;

  function won(lease: KubeObject, renewedAtMs: number): void {
    const leading = held?.leading ?? new AbortController();
    const isNew = held === undefined;
    held?.cancelDeadline();
    const leftMs = Math.max(0, deadlineOf(renewedAtMs) - clock.monotonicMs());
    held = { renewedAtMs, lease, leading, cancelDeadline: clock.setTimer(leftMs, () => lost('renew deadline passed')) };
    observed = undefined;
    if (isNew) options.onLeading(leading.signal);
  }

  function lost(why: string): void {
    if (!endTerm(`the lease is lost: ${why}`)) return;
    options.log?.warn({ lease: `${namespace}/${name}`, why }, 'leadership lost');
    options.onLost();
  }

  /** False where nothing was held. */
  function endTerm(why: string): boolean {
    if (held === undefined) return false;
    const { leading, cancelDeadline } = held;
    held = undefined;
    cancelDeadline();
    leading.abort(new Error(why));
    return true;
  }

  function leaseOf(previous: KubeObject | undefined, holder: string): KubeObject {
    const now = microTime(clock.nowMs());
    const spec = previous === undefined ? {} : specOf(previous);
    const isHandover = spec.holderIdentity !== holder && holder !== '';
    return {
      ...(previous ?? { ...ref, metadata: { name, namespace } }),
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

  /** Each request ends with our time to write at the latest, so that no renewal comes back after it. */
  async function within<T>(limitMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const limit = new AbortController();
    const abort = (): void => limit.abort(new RequestTimeoutError('the request for the lease', limitMs));
    const cancel = clock.setTimer(Math.max(0, limitMs), abort);
    stopping.signal.addEventListener('abort', abort, { once: true });
    try {
      return await work(limit.signal);
    } finally {
      cancel();
      stopping.signal.removeEventListener('abort', abort);
    }
  }

  async function renew(current: NonNullable<typeof held>): Promise<void> {
    const startedAtMs = clock.monotonicMs();
    const leftMs = deadlineOf(current.renewedAtMs) - startedAtMs;
    try {
      const lease = await within(leftMs, (signal) => cluster.replace(leaseOf(current.lease, identity), { signal }));
      if (held === current) won(lease, startedAtMs);
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) throw error;
      await lookAgain(current, startedAtMs);
    }
  }

  /** Another write came first: our own late renewal, an annotation, or another holder. */
  async function lookAgain(current: NonNullable<typeof held>, startedAtMs: number): Promise<void> {
    const leftMs = deadlineOf(current.renewedAtMs) - startedAtMs;
    const found = await within(leftMs, (signal) => cluster.get(ref, { signal }));
    if (held !== current) return;
    const holder = found === undefined ? '' : (specOf(found).holderIdentity ?? '');
    if (found === undefined || holder !== identity) {
      lost(holder === '' ? 'released by another writer' : `held by ${holder}`);
      return;
    }
    const lease = await within(leftMs, (signal) => cluster.replace(leaseOf(found, identity), { signal }));
    if (held === current) won(lease, startedAtMs);
  }

  async function campaign(): Promise<void> {
    const startedAtMs = clock.monotonicMs();
    const found = await within(renewDeadlineMs, (signal) => cluster.get(ref, { signal }));
    if (found !== undefined && !isFree(found)) return;
    const lease = leaseOf(found, identity);
    const answer = await within(renewDeadlineMs, (signal) =>
      found === undefined ? cluster.create(lease, { signal }) : cluster.replace(lease, { signal }),
    );
    if (!stopping.signal.aborted && clock.monotonicMs() < deadlineOf(startedAtMs)) won(answer, startedAtMs);
  }

  /** Free: released, ours from a request whose answer was lost, or not renewed for its duration while we looked. */
  function isFree(lease: KubeObject): boolean {
    const { holderIdentity: holder = '', renewTime = '', leaseDurationSeconds } = specOf(lease);
    const record = `${holder} ${renewTime} ${lease.metadata.resourceVersion}`;
    if (observed?.record !== record) {
      if (observed?.holder !== holder) options.onObserved?.(holder);
      observed = { record, atMs: clock.monotonicMs(), holder };
    }
    if (holder === '' || holder === identity) return true;
    // The holder's own promise counts: its settings may differ from ours during a roll-out.
    const promisedMs = leaseDurationSeconds === undefined ? leaseDurationMs : leaseDurationSeconds * 1000;
    return clock.monotonicMs() >= observed.atMs + promisedMs;
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        if (held === undefined) await campaign();
        else await renew(held);
      } catch (err) {
        // A conflict in a campaign is a race that another won.
        if (!stopping.signal.aborted && !isConflict(err)) options.log?.warn({ lease: `${namespace}/${name}`, err }, 'lease request failed');
      }
      if (!stopping.signal.aborted) await sleep(clock, retryPeriodMs, stopping.signal).catch(() => undefined); // stopped: the loop ends
    }
  }

  /** A renewal whose answer we did not wait for may have been stored: then the lease is ours still, in another version. */
  async function clearHolder(lease: KubeObject, signal: AbortSignal): Promise<void> {
    try {
      await cluster.replace(leaseOf(lease, ''), { signal });
    } catch (error) {
      if (!isConflict(error)) throw error;
      const found = await cluster.get(ref, { signal });
      if (found !== undefined && specOf(found).holderIdentity === identity) await cluster.replace(leaseOf(found, ''), { signal });
    }
  }

  async function release(lease: KubeObject, untilMs: number): Promise<void> {
    const limit = new AbortController();
    const cancel = clock.setTimer(Math.max(0, untilMs - clock.monotonicMs()), () =>
      limit.abort(new Error('too late to release the lease')),
    );
    try {
      await clearHolder(lease, limit.signal);
      options.onReleased?.();
    } catch (err) {
      options.log?.warn({ lease: `${namespace}/${name}`, err }, 'lease not released: it expires by itself');
    } finally {
      cancel();
    }
  }

  const running = run();
  return {
    isLeader: () => held !== undefined && clock.monotonicMs() < deadlineOf(held.renewedAtMs),
    mayWriteUntilMs: () => (held === undefined ? 0 : deadlineOf(held.renewedAtMs)),
    async stop() {
      if (stopping.signal.aborted) return running;
      stopping.abort(new Error('stopped'));
      await running; // no renewal of ours may come after the release
      const last = held;
      endTerm('the lease is released');
      if (last !== undefined) await release(last.lease, deadlineOf(last.renewedAtMs));
    },
  };
}

const specOf = (lease: KubeObject): LeaseSpec => asLease(lease).spec ?? {};

/** MicroTime: RFC 3339 with six digits. */
const microTime = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z');
