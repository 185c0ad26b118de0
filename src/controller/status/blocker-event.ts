import { isDeepStrictEqual } from 'node:util';
import type { NewBlocker } from '../../api/blocker.ts';
import { blockerText } from '../../api/blocker-text.ts';
import type { Canary } from '../../api/canary.ts';
import type { BlockerCode, Reason } from '../../api/codes/codes.ts';
import type { ControllerDeps } from '../controller-deps.ts';

/**
 * Milliseconds for which an object must be absent before an event reports it. The objects of one `kubectl apply` or GitOps sync arrive one after the other, and
 * the watch of one kind can be seconds behind the watch of another: no user has to act on that.
 */
export const ABSENCE_MS = 10_000;
const ABSENT: ReadonlySet<BlockerCode> = new Set(['TargetNotFound', 'ScalerNotFound', 'ConfigNotFound']);

/** One Warning event for each blocker of a Canary, and another one only after it was gone. An absent object has `ABSENCE_MS` to come. */
export class BlockerEvent {
  readonly #deps: Pick<ControllerDeps, 'clock' | 'announceOn'>;
  readonly #reason: Reason;
  #seen: { blocker: NewBlocker; sinceMs: number; isAnnounced: boolean } | undefined;

  constructor(deps: Pick<ControllerDeps, 'clock' | 'announceOn'>, reason: Reason) {
    this.#deps = deps;
    this.#reason = reason;
  }

  get isClear(): boolean {
    return this.#seen === undefined;
  }

  /** Takes what blocks the Canary now. Returns the milliseconds until its event, where that is still to come. */
  see(canary: Canary, blocker: NewBlocker | undefined): number | undefined {
    const nowMs = this.#deps.clock.monotonicMs();
    if (!isDeepStrictEqual(this.#seen?.blocker, blocker)) this.#seen = blocker && { blocker, sinceMs: nowMs, isAnnounced: false };
    const seen = this.#seen;
    if (seen === undefined || seen.isAnnounced) return undefined;
    const leftMs = seen.sinceMs + (ABSENT.has(seen.blocker.code) ? ABSENCE_MS : 0) - nowMs;
    if (leftMs > 0) return leftMs;
    seen.isAnnounced = true;
    this.#deps.announceOn(canary, { reason: this.#reason, type: 'Warning', message: blockerText(seen.blocker) });
    return undefined;
  }
}
