import type { Canary } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { labelOf } from '../../api/kube-object.ts';
import type { ControllerDeps } from '../controller-deps.ts';
import { type Admitted, admit, type CanaryRejection } from './admission.ts';
import { ArrivalGate } from './arrival-gate.ts';
import type { ArrivalWarnings } from './arrival-warnings.ts';
import { editedSincePromoted } from './edited-target.ts';
import { type Fallback, fallbackOf } from './refused-edit.ts';
import { ServiceFit } from './service-fit.ts';

/** The spec by which one Canary is run: its own, or the one before while its own is refused (E65). */
export class RunnableSpec {
  readonly #deps: ControllerDeps;
  readonly #fit: ServiceFit;
  readonly #arrival: ArrivalGate;
  #fallback: Fallback | undefined;

  constructor(deps: ControllerDeps, warnings: ArrivalWarnings) {
    this.#deps = deps;
    this.#fit = new ServiceFit(deps);
    this.#arrival = new ArrivalGate(deps, warnings);
  }

  /** Absent while the Canary's own spec is accepted. */
  get fallback(): Fallback | undefined {
    return this.#fallback;
  }

  async resolve(raw: KubeObject, signal: AbortSignal): Promise<Admitted | CanaryRejection> {
    const again = (spec: KubeObject) => this.#admit(spec, signal);
    const admitted = await again(raw);
    this.#fallback =
      'reason' in admitted ? await fallbackOf(raw, admitted, this.#fallback, { ...this.#deps, admit: again }, signal) : undefined;
    return this.#fallback ?? admitted;
  }

  /** Has changes of the spec's objects wake the Canary. Returns milliseconds until an analysis without checks ends; 0 for any other. */
  track(canary: Canary, raw: KubeObject): number {
    const { track, lastAccepted, clock } = this.#deps;
    const isLastAccepted = lastAccepted(labelOf(canary))?.metadata.generation === raw.metadata.generation;
    if (!this.#fallback) {
      // Refused for an object in the cluster, and accepted since.
      if (!isLastAccepted) track(canary, raw);
      return 0;
    }
    const { uncheckedUntilMs } = this.#fallback.refused;
    if (uncheckedUntilMs === undefined) {
      // Known from the anchor only: the objects of that spec are watched, and restored when the Canary is deleted.
      if (isLastAccepted) track(canary, { ...raw, metadata: { ...raw.metadata, generation: 0 }, spec: canary.spec });
      return 0;
    }
    // The spec accepted before is unknown: the bare spec's objects are watched, and the analysis has an end.
    track(canary, raw);
    return Math.max(0, uncheckedUntilMs - clock.nowMs());
  }

  /** By its spec, by the target it had (E112), by what its Services lead to now (I14), and by what it would cost the application (I17). */
  async #admit(raw: KubeObject, signal: AbortSignal): Promise<Admitted | CanaryRejection> {
    const admitted = admit(raw, this.#deps);
    if ('reason' in admitted) return admitted;
    return (
      (await editedSincePromoted(admitted, raw, this.#deps, signal)) ??
      (await this.#fit.refusalOf(admitted, signal)) ??
      (await this.#arrival.refusalOf(admitted, signal)) ??
      admitted
    );
  }
}
