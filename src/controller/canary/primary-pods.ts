import type { Canary } from '../../api/canary.ts';
import type { BlockerCode } from '../../api/codes/codes.ts';
import { asPod } from '../../api/kinds/pod.ts';
import type { PodFailing } from '../../api/pod-failing.ts';
import { failingsIn, MOST_EVALUATED_PODS, noneSeen, podView, withPods } from '../../workloads/pods/failings.ts';
import type { Workload } from '../../workloads/workload.ts';
import type { ControllerDeps } from '../controller-deps.ts';
import { slimPod } from '../watch/pod-watches.ts';

/** A primary that starts as usual is not read. */
const FIRST_MS = 10_000;
/** Between two reads of a primary that stays unready. */
const AGAIN_MS = 30_000;

const AWAITED: ReadonlySet<BlockerCode> = new Set(['PodsNotReady', 'RolloutStalled']);

/** Reads the pods of a primary that is waited for too long, so that status and end of a release name the pod, its container and the cause. A primary that becomes ready costs no request. */
export class PrimaryPods {
  readonly #deps: Pick<ControllerDeps, 'cluster' | 'view' | 'clock'>;
  #read: { sinceMs: number; problem: PodFailing | undefined } | undefined;

  constructor(deps: Pick<ControllerDeps, 'cluster' | 'view' | 'clock'>) {
    this.#deps = deps;
  }

  /** The most telling problem of its pods when they were last read. */
  get problem(): PodFailing | undefined {
    return this.#read?.problem;
  }

  async look(canary: Canary, workload: Workload, signal: AbortSignal): Promise<void> {
    const { cluster, view, clock } = this.#deps;
    const primaryRef = workload.primaryRef(canary);
    const awaited = canary.status?.release?.blockers?.find(({ code, object }) => AWAITED.has(code) && object?.name === primaryRef.name);
    if (awaited === undefined) {
      this.#read = undefined;
      return;
    }
    const nowMs = clock.nowMs();
    const isDue = awaited.until !== undefined && Date.parse(awaited.until) <= nowMs;
    const waitMs = this.#read === undefined ? FIRST_MS : AGAIN_MS;
    if (!isDue && nowMs - (this.#read?.sinceMs ?? Date.parse(awaited.since)) < waitMs) return;
    const primary = view.find(primaryRef)?.object;
    const selector = primary && workload.podSelector?.(primary);
    if (selector === undefined) return;
    const { namespace } = canary.metadata;
    try {
      const { items } = await cluster.list(
        { apiVersion: 'v1', kind: 'Pod', namespace },
        { labelSelector: selector, slim: slimPod, signal },
      );
      const views = items.slice(0, MOST_EVALUATED_PODS).map((pod) => podView(asPod(pod)));
      this.#read = { sinceMs: nowMs, problem: failingsIn(withPods(noneSeen(), views)).problem };
    } catch (error) {
      // They are only shown: without them the readiness of the workload is all that is known, and no decision waits.
      if (signal.aborted) throw error;
      this.#read = { sinceMs: nowMs, problem: this.#read?.problem };
    }
  }
}
