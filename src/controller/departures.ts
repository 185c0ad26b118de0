import { apiVersion, type Canary } from '../api/canary.ts';
import { type KubeObject, type ObjectRef, refOf } from '../api/kube-object.ts';
import { finalizer } from '../api/names.ts';
import { sleep } from '../kube/clock.ts';
import type { ControllerRoom } from './controller-room.ts';
import { depart } from './departure.ts';
import { labelOf, readable } from './readable.ts';

const RETRY_MS = 5_000;
/** Between two looks for Canaries that went while nobody looked, as long as the API server does not answer. */
const ORPHANS_RETRY_MS = { from: 1_000, to: 60_000 };
/** How long `revertOnDeletion` holds a Canary whose target does not become ready, in milliseconds. */
const LONGEST_HOLD_MS = 600_000;

/** What the controller does about a Canary that goes. */
export interface Remaining {
  /** Nobody looks after the Canary `namespace/name` any more; resolves when nothing of it can write. */
  vacate(key: string): Promise<void>;
  /** Its application is back on its target: one of the same name may have waited for that. */
  vacated(ref: ObjectRef): void;
}

type Room = Pick<ControllerRoom, 'cluster' | 'view' | 'config' | 'clock' | 'log' | 'anchors' | 'deliveries' | 'mayWrite'>;

/** Canaries that go: each application goes back to its target, again and again until it has. */
export class Departures {
  readonly #room: Room;
  readonly #remaining: Remaining;
  readonly #stopping: AbortSignal;
  /** Under way, by `namespace/name`, and the Canary that is gone. */
  readonly #leaving = new Map<string, { last: Canary; under: AbortController }>();

  constructor(room: Room, stopping: AbortSignal, remaining: Remaining) {
    this.#room = room;
    this.#stopping = stopping;
    this.#remaining = remaining;
  }

  /** The Canary of this name that is still on its way out. */
  underWay(key: string): Canary | undefined {
    return this.#leaving.get(key)?.last;
  }

  /** A Canary of this name on the same target lives, perhaps made again: it takes over what stands, and nothing is given back. */
  isInherited({ metadata: { namespace, name }, spec }: Pick<Canary, 'metadata' | 'spec'>): boolean {
    const raw = this.#room.view.find({ apiVersion, kind: 'Canary', namespace, name })?.object;
    if (raw === undefined || raw.metadata.deletionTimestamp !== undefined) return false;
    // Whatever else its spec says: a Canary that cannot be run is none that is gone.
    const { kind, name: target } = spec.targetRef;
    const ref: unknown = raw.spec?.targetRef;
    const isElsewhere =
      typeof ref === 'object' && ref !== null && 'name' in ref && 'kind' in ref && (ref.kind !== kind || ref.name !== target);
    return !isElsewhere;
  }

  /** `held`: the Canary itself, which its finalizer keeps until this is done. */
  begin(key: string, last: KubeObject, held?: KubeObject): void {
    const canary = readable(last);
    if (canary) void this.leave(key, canary, held);
    else void this.leaveByAnchor(key, last, held);
  }

  /** Of a Canary that could not be read since the start, its anchor tells what it owned. */
  async leaveByAnchor(key: string, last: KubeObject, held?: KubeObject): Promise<void> {
    const { name, namespace = '', uid = '' } = last.metadata;
    const { anchors, log, clock } = this.#room;
    try {
      const spec = await anchors.originalSpec(last, this.#stopping);
      const metadata = { name, namespace, uid, generation: 0, resourceVersion: '' };
      const canary = spec && ({ apiVersion, kind: 'Canary', metadata, spec } as const);
      if (canary && (held || !this.isInherited(canary))) await this.leave(key, canary, held);
      else if (!canary && held) await this.#release(held);
    } catch (error) {
      if (this.#stopping.aborted) return;
      log.warn({ canary: key, err: error, retryInMs: RETRY_MS }, 'what the Canary owned cannot be told');
      clock.setTimer(RETRY_MS, () => void this.leaveByAnchor(key, last, held));
    }
  }

  /** The Canary is gone: its application goes back to the target, again and again until it has. */
  async leave(key: string, canary: Canary, held?: KubeObject): Promise<void> {
    const { cluster, view, config, clock, log, anchors } = this.#room;
    this.#room.deliveries.stop(canary.metadata.uid);
    anchors.forget(canary.metadata.uid);
    // One that still waits is about a Canary that was made again, and has gone again since: two at once would take it apart twice.
    this.#leaving.get(key)?.under.abort(new Error('superseded'));
    const own = new AbortController();
    this.#leaving.set(key, { last: canary, under: own });
    await this.#remaining.vacate(key);
    const signal = AbortSignal.any([this.#stopping, own.signal]);
    const beganAtMs = clock.monotonicMs();
    let isHeld = held !== undefined;
    const letGo = async (): Promise<void> => {
      if (held && isHeld) await this.#release(held);
      isHeld = false;
    };
    const attempt = async (): Promise<void> => {
      if (signal.aborted || !this.#room.mayWrite()) return;
      try {
        const isInherited = () => this.isInherited(canary);
        await depart(canary, { cluster, view, config, clock, log, signal, anchors, isHeld, isInherited });
        await letGo();
        if (this.#leaving.get(key)?.under !== own) return;
        this.#leaving.delete(key);
        // One of the same name may have waited for its anchor to go.
        const { name, namespace } = canary.metadata;
        this.#remaining.vacated({ apiVersion, kind: 'Canary', name, namespace });
      } catch (error) {
        if (signal.aborted) return;
        // The anchor stays, and with it what is left to do: a Canary must not wait for ever for a target that never becomes ready.
        if (clock.monotonicMs() - beganAtMs >= LONGEST_HOLD_MS)
          await letGo().catch((err: unknown) => log.warn({ canary: key, err }, 'finalizer kept'));
        log.warn({ canary: key, err: error, retryInMs: RETRY_MS }, 'giving the application back failed');
        clock.setTimer(RETRY_MS, () => void attempt());
      }
    };
    await attempt();
  }

  /** Canaries that were deleted while nobody looked: known before anyone of the same name begins, so that a look that fails is made again. */
  async orphans(): Promise<Canary[]> {
    const { anchors, config, log, clock } = this.#room;
    const signal = this.#stopping;
    for (let retryInMs = ORPHANS_RETRY_MS.from; ; retryInMs = Math.min(retryInMs * 2, ORPHANS_RETRY_MS.to)) {
      try {
        return await anchors.orphans((canary) => this.isInherited(canary), config.namespaces, signal);
      } catch (error) {
        if (signal.aborted) throw error;
        log.warn({ err: error, retryInMs }, 'the first look at the cluster failed');
        await sleep(clock, retryInMs, signal);
      }
    }
  }

  /** All at once: whoever waits for a Canary of the same name knows of it. */
  leaveAll(canaries: readonly Canary[]): void {
    for (const canary of canaries) void this.leave(labelOf(canary), canary);
  }

  /** The application is back on its target: the Canary with `revertOnDeletion` may go. */
  async #release(held: KubeObject): Promise<void> {
    const { cluster } = this.#room;
    const signal = this.#stopping;
    // Its status may have been written since, by us or by another controller.
    const now = await cluster.get(refOf(held), { signal });
    if (now === undefined || now.metadata.uid !== held.metadata.uid) return;
    const finalizers = (now.metadata.finalizers ?? []).filter((each) => each !== finalizer);
    await cluster.patch(refOf(now), { metadata: { finalizers, resourceVersion: now.metadata.resourceVersion } }, { signal });
  }
}
