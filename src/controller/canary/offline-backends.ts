import type { Canary } from '../../api/canary.ts';
import { sleep } from '../../base/clock.ts';
import type { ControllerDeps } from '../controller-deps.ts';
import { ABSENCE_MS } from '../status/blocker-event.ts';

type OfflineBackendsDeps = Pick<ControllerDeps, 'clock' | 'findOffline' | 'announceOn'>;

/**
 * Before a Canary's first release its metric backends are queried, once for each version of its spec: an event names a backend that does not answer, while
 * there is time to mend it. Nothing waits for the answer.
 */
export class OfflineBackends {
  readonly #deps: OfflineBackendsDeps;
  #askedFor: number | undefined;
  #isAsking = false;

  constructor(deps: OfflineBackendsDeps) {
    this.#deps = deps;
  }

  get isAsking(): boolean {
    return this.#isAsking;
  }

  check(canary: Canary, signal: AbortSignal): void {
    const { generation } = canary.metadata;
    const phase = canary.status?.phase ?? '';
    if (canary.spec.skipAnalysis || (phase !== '' && phase !== 'Initializing') || this.#askedFor === generation) return;
    this.#askedFor = generation;
    this.#isAsking = true;
    this.#report(canary, signal)
      .catch(() => {
        // Cancelled with its reconcile: the next one queries again.
        if (this.#askedFor === generation) this.#askedFor = undefined;
      })
      .finally(() => {
        this.#isAsking = false;
      });
  }

  async #report(canary: Canary, signal: AbortSignal): Promise<void> {
    const { clock, findOffline, announceOn } = this.#deps;
    if ((await findOffline(canary, signal)) === undefined) return;
    await sleep(clock, ABSENCE_MS, signal);
    const message = await findOffline(canary, signal);
    signal.throwIfAborted();
    if (message !== undefined) announceOn(canary, { reason: 'MetricsUnavailable', type: 'Warning', message });
  }
}
