import type { Canary } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { labelOf } from '../../api/kube-object.ts';
import type { ControllerDeps } from '../controller-deps.ts';
import { type Admitted, admit, type CanaryRejection } from './admission.ts';
import { ArrivalGate } from './arrival-gate.ts';
import type { ArrivalWarnings } from './arrival-warnings.ts';
import { EditedRoutes } from './edited-routes.ts';
import { editedSincePromoted } from './edited-target.ts';
import { type Fallback, fallbackOf } from './refused-edit.ts';
import { ServiceFit } from './service-fit.ts';

/** The spec by which one Canary is run: its own, or the one before while its own is refused (E65). */
export class RunnableSpec {
  readonly #deps: ControllerDeps;
  readonly #fit: ServiceFit;
  readonly #arrival: ArrivalGate;
  readonly #edits: EditedRoutes;
  #fallback: Fallback | undefined;
  #retryInMs: number | undefined;

  constructor(deps: ControllerDeps, warnings: ArrivalWarnings) {
    this.#deps = deps;
    this.#fit = new ServiceFit(deps);
    this.#arrival = new ArrivalGate(deps, warnings);
    this.#edits = new EditedRoutes(deps);
  }

  /** Absent while the Canary's own spec is accepted. */
  get fallback(): Fallback | undefined {
    return this.#fallback;
  }

  /** Time until the next look at a refused Canary, because the end of the refusal does not always cause a watch event. */
  get retryInMs(): number | undefined {
    return this.#retryInMs;
  }

  /** `isKnown`: this process has run the Canary before. */
  async resolve(raw: KubeObject, isKnown: boolean, signal: AbortSignal): Promise<Admitted | CanaryRejection> {
    // A bare spec, with only the fields that traffic needs, does not count as run.
    const hasRun = isKnown && this.#fallback?.refused.uncheckedUntilMs === undefined;
    const own = await this.#admit(raw, signal);
    const edit = 'reason' in own ? undefined : await this.#edits.refusalOf(own, raw, hasRun, signal);
    const admitted = edit ?? own;
    this.#retryInMs = 'reason' in admitted ? admitted.retryInMs : undefined;
    this.#fallback = 'reason' in admitted ? await this.#fallbackFor(raw, admitted, edit !== undefined && !hasRun, signal) : undefined;
    return this.#fallback ?? admitted;
  }

  #fallbackFor(raw: KubeObject, refusal: CanaryRejection, isGuessed: boolean, signal: AbortSignal): Promise<Fallback | undefined> {
    const again = async (spec: KubeObject): Promise<Admitted | CanaryRejection> => {
      const admitted = await this.#admit(spec, signal);
      return isGuessed && !('reason' in admitted) && this.#edits.takesRequests(admitted) ? refusal : admitted;
    };
    // After a restart, the first seen spec was not necessarily accepted.
    const lastAccepted = isGuessed ? () => undefined : this.#deps.lastAccepted;
    return fallbackOf(raw, refusal, this.#fallback, { ...this.#deps, lastAccepted, admit: again }, signal);
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

  /** Judges its spec, its former target (E112), the backends of its Services (I14), and its cost for the application (I17). */
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
