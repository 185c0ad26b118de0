import type { CanaryStatus, Release, Verdict } from '../api/canary-status.ts';
import { asEvent } from '../api/kinds/event.ts';
import type { KubeObject, ObjectRef } from '../api/kube-object.ts';
import { refKey, refOf } from '../api/kube-object.ts';
import type { Routes } from '../api/routes.ts';
import type { StoreWrite } from '../embedded/apiserver/write-context.ts';
import type { Received } from './stand-ins.ts';

/** One moment of a rehearsal. */
export type Moment = { atMs: number } & (
  | { kind: 'fault'; fault: string }
  | { kind: 'phase'; phase: string }
  | { kind: 'weight'; weightPercent: number; routes: Routes['kind'] }
  | { kind: 'checks'; verdicts: readonly Verdict[] }
  /** Result of the comparison with the primary so far, by metric. */
  | { kind: 'comparison'; comparison: NonNullable<Release['comparison']> }
  | { kind: 'event'; type: string; reason: string; message: string }
  | { kind: 'call'; received: Received }
  | { kind: 'write'; ref: ObjectRef; before?: KubeObject; after: KubeObject }
);

const OURS = 'serin-controller';

/** Records the events of one Canary, in order. */
export class Recorder {
  readonly moments: Moment[] = [];
  readonly #now: () => number;
  readonly #canary: ObjectRef;
  #status: CanaryStatus | undefined;
  #onStatus: (status: CanaryStatus) => void = () => undefined;

  constructor(canary: ObjectRef, now: () => number) {
    this.#canary = canary;
    this.#now = now;
  }

  get status(): CanaryStatus | undefined {
    return this.#status;
  }

  /** Resolves when a status satisfies the condition. */
  until(isSo: (status: CanaryStatus) => boolean): Promise<void> {
    if (this.#status && isSo(this.#status)) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onStatus = (status) => {
        if (!isSo(status)) return;
        this.#onStatus = () => undefined;
        resolve();
      };
    });
  }

  fault(fault: string): void {
    this.moments.push({ atMs: this.#now(), kind: 'fault', fault });
  }

  call(received: Received): void {
    this.moments.push({ atMs: this.#now(), kind: 'call', received });
  }

  write({ userAgent, before, object }: StoreWrite): void {
    if (object === undefined) return;
    const atMs = this.#now();
    if (refKey(refOf(object)) === refKey(this.#canary)) {
      this.#canaryWritten(object);
      return;
    }
    if (object.kind === 'Event') {
      const { involvedObject, type = '', reason = '', message = '' } = asEvent(object);
      const isOurs = involvedObject?.kind === this.#canary.kind && involvedObject.name === this.#canary.name;
      if (isOurs && object.metadata.namespace === this.#canary.namespace) this.moments.push({ atMs, kind: 'event', type, reason, message });
      return;
    }
    if (userAgent === OURS) this.moments.push({ atMs, kind: 'write', ref: refOf(object), ...(before && { before }), after: object });
  }

  #canaryWritten(object: KubeObject): void {
    const atMs = this.#now();
    const next = object.status as CanaryStatus | undefined;
    const last = this.#status;
    if (next === undefined) return;
    this.#status = next;
    const { verdicts } = next.release ?? {};
    if (verdicts && measuredMs(next) > measuredMs(last)) this.moments.push({ atMs, kind: 'checks', verdicts });
    const { comparison } = next.release ?? {};
    if (comparison && JSON.stringify(comparison) !== JSON.stringify(last?.release?.comparison))
      this.moments.push({ atMs, kind: 'comparison', comparison });
    if (next.phase !== last?.phase) this.moments.push({ atMs, kind: 'phase', phase: next.phase });
    const [now, before] = [next, last].map((status) => ({
      weightPercent: status?.canaryWeight ?? 0,
      routes: status?.release?.routes.kind ?? ('weighted' as const),
    }));
    if (now && (now.weightPercent !== before?.weightPercent || now.routes !== before.routes))
      this.moments.push({ atMs, kind: 'weight', ...now });
    this.#onStatus(next);
  }
}

/** Time of the last check, 0 if there was no check. */
const measuredMs = (status: CanaryStatus | undefined): number =>
  Math.max(0, ...Object.values(status?.release?.recent ?? {}).flatMap((all) => all.map(({ atMs }) => atMs)));
