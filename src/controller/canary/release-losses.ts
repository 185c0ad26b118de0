import type { Canary, Provider } from '../../api/canary.ts';
import { labelOf } from '../../api/kube-object.ts';
import { isResting } from '../../api/step.ts';
import { arrivalPlan } from '../admission/arrival-plan.ts';
import type { ArrivalWarnings } from '../admission/arrival-warnings.ts';
import type { ControllerDeps } from '../controller-deps.ts';
import { primaryRefOf } from '../facts/gather-facts.ts';

type ReleaseLossesDeps = Pick<ControllerDeps, 'applications' | 'view' | 'config' | 'log'>;

/**
 * As a release starts, or a Canary takes a primary that serves already, the objects that know the application are read again: policies, Services and
 * monitors can be new since. Losses are a warning. No step waits for the result, and a failed read is not repeated.
 */
export class ReleaseLosses {
  readonly #deps: ReleaseLossesDeps;
  readonly #warnings: ArrivalWarnings;
  readonly #news: () => void;
  /** The release and revision for which they were read. */
  #readFor: string | undefined;
  #isReading = false;

  /** `news`: another condition has to be written. */
  constructor(deps: ReleaseLossesDeps, warnings: ArrivalWarnings, news: () => void) {
    this.#deps = deps;
    this.#warnings = warnings;
    this.#news = news;
  }

  get isReading(): boolean {
    return this.#isReading;
  }

  begin(canary: Canary, provider: Provider, signal: AbortSignal): void {
    const { phase, release } = canary.status ?? {};
    if (!phase || release === undefined || isResting(release)) return;
    // The gate has read them, if no primary existed.
    if (phase === 'Initializing' && (this.#warnings.hasRead || this.#deps.view.find(primaryRefOf(canary)) === undefined)) return;
    const started = `${canary.metadata.uid} ${release.run} ${release.revision}`;
    if (this.#isReading || this.#readFor === started) return;
    this.#readFor = started;
    this.#isReading = true;
    this.#read(canary, provider, signal)
      .catch((error: unknown) => {
        // Cancelled with its reconcile: the next one reads again.
        if (signal.aborted) this.#readFor = undefined;
        else
          this.#deps.log.warn(
            { canary: labelOf(canary), err: error },
            'the effect of the release on the objects of the application could not be checked',
          );
      })
      .finally(() => {
        this.#isReading = false;
      });
  }

  async #read(canary: Canary, provider: Provider, signal: AbortSignal): Promise<void> {
    const plan = await arrivalPlan(canary, provider, { ...this.#deps, signal }, true);
    signal.throwIfAborted();
    if (plan !== undefined && this.#warnings.atRelease(canary, plan.losses)) this.#news();
  }
}
