import type { Canary, Provider } from '../../api/canary.ts';
import { labelOf } from '../../api/kube-object.ts';
import { isResting } from '../../api/step.ts';
import { arrivalPlan } from '../admission/arrival-plan.ts';
import type { ArrivalWarnings } from '../admission/arrival-warnings.ts';
import type { ControllerDeps } from '../controller-deps.ts';
import { primaryRefOf } from '../facts/gather-facts.ts';

type ReleaseLookDeps = Pick<ControllerDeps, 'applications' | 'view' | 'config' | 'log'>;

/**
 * As a release starts, or a Canary takes a primary that serves already, the objects that know the application are looked at again: policies, Services and
 * monitors can be new since. Losses are a warning. No step waits for the answer, and a failed look is not repeated.
 */
export class ReleaseLook {
  readonly #deps: ReleaseLookDeps;
  readonly #warnings: ArrivalWarnings;
  readonly #news: () => void;
  /** The release and revision that were looked at. */
  #lookedAt: string | undefined;
  #isLooking = false;

  /** `news`: another condition has to be written. */
  constructor(deps: ReleaseLookDeps, warnings: ArrivalWarnings, news: () => void) {
    this.#deps = deps;
    this.#warnings = warnings;
    this.#news = news;
  }

  get isLooking(): boolean {
    return this.#isLooking;
  }

  begin(canary: Canary, provider: Provider, signal: AbortSignal): void {
    const { phase, release } = canary.status ?? {};
    if (!phase || release === undefined || isResting(release)) return;
    // The gate has looked, if no primary existed.
    if (phase === 'Initializing' && (this.#warnings.hasLooked || this.#deps.view.find(primaryRefOf(canary)) === undefined)) return;
    const started = `${canary.metadata.uid} ${release.run} ${release.revision}`;
    if (this.#isLooking || this.#lookedAt === started) return;
    this.#lookedAt = started;
    this.#isLooking = true;
    this.#look(canary, provider, signal)
      .catch((error: unknown) => {
        // Cancelled with its reconcile: the next one looks again.
        if (signal.aborted) this.#lookedAt = undefined;
        else this.#deps.log.warn({ canary: labelOf(canary), err: error }, 'what the release costs the application was not looked at');
      })
      .finally(() => {
        this.#isLooking = false;
      });
  }

  async #look(canary: Canary, provider: Provider, signal: AbortSignal): Promise<void> {
    const plan = await arrivalPlan(canary, provider, { ...this.#deps, signal }, true);
    signal.throwIfAborted();
    if (plan !== undefined && this.#warnings.atRelease(canary, plan.losses)) this.#news();
  }
}
