import type { Canary, CanarySpec } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { labelOf } from '../../api/kube-object.ts';
import { parseStatus } from '../../api/parse-status.ts';
import { isResting } from '../../api/step.ts';
import type { JsonRecord } from '../../base/json.ts';
import { isRefusal } from '../../kube/errors.ts';
import { acceptedGenerationOf } from '../adoption/accepted-specs.ts';
import type { ControllerDeps } from '../controller-deps.ts';
import { type Admitted, admit, type CanaryRejection } from './admission.ts';
import { ArrivalGate } from './arrival-gate.ts';
import type { ArrivalWarnings } from './arrival-warnings.ts';
import { EditedRoutes } from './edited-routes.ts';
import { editedSincePromoted } from './edited-target.ts';
import { type Fallback, fallbackOf } from './refused-edit.ts';
import { isRunning, ServiceFit } from './service-fit.ts';
import type { WrittenSpec } from './written-spec.ts';

/** The spec by which one Canary is run: its own, or the one before while its own is refused (E65). */
export class RunnableSpec {
  readonly #deps: ControllerDeps;
  readonly #fit: ServiceFit;
  readonly #arrival: ArrivalGate;
  readonly #edits: EditedRoutes;
  #fallback: Fallback | undefined;
  #retryInMs: number | undefined;

  readonly #written: WrittenSpec;
  /** The spec that is known to be stored. */
  #noted: CanarySpec | undefined;
  #storedGeneration: number | undefined;

  constructor(deps: ControllerDeps, warnings: ArrivalWarnings, written: WrittenSpec) {
    this.#deps = deps;
    this.#written = written;
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

  async resolve(raw: KubeObject, signal: AbortSignal): Promise<Admitted | CanaryRejection> {
    const accepted = () => this.#accepted(raw, signal);
    const own = await this.#admit(raw, signal);
    const edit = 'reason' in own ? undefined : await this.#edits.refusalOf(own, { ran: this.#written.ran, accepted }, signal);
    const admitted = edit ?? own;
    this.#retryInMs = 'reason' in admitted ? admitted.retryInMs : undefined;
    this.#fallback = 'reason' in admitted ? await this.#fallbackFor(raw, admitted, edit !== undefined, signal) : undefined;
    return this.#fallback ?? admitted;
  }

  /**
   * Stores the accepted spec before Serin acts on it: a later edit can be refused, and this process can end. An idle Canary with this spec costs no request (I8),
   * and a suspended Canary costs no write. The anchor of a new Canary is made with its spec; the anchor of a Canary that is taken over again can have an older spec.
   */
  async note(canary: Canary, signal: AbortSignal): Promise<void> {
    if (this.#fallback) return;
    this.#written.ran = canary.spec;
    const { release, phase = '' } = canary.status ?? {};
    const isNew = release === undefined && phase === '';
    const isRunBefore = release !== undefined && isResting(release) && isRunning(canary);
    if (isNew || isRunBefore || this.#noted === canary.spec || canary.spec.suspend === true) return;
    const { anchors, log } = this.#deps;
    try {
      const generation = await anchors.noteSpec(canary, this.#written.spec, signal);
      if (generation === undefined) return;
      this.#noted = canary.spec;
      this.#storedGeneration = generation;
    } catch (error) {
      // A rollback must not wait for it.
      if (!isRefusal(error)) throw error;
      this.#noted = canary.spec;
      log.warn(
        { canary: labelOf(canary), err: error },
        'the spec is not stored, and a restart forgets it: let Serin patch ControllerRevisions',
      );
    }
  }

  /** Generation of the newest stored spec, for the status: `undefined` if it is that of the Canary. */
  acceptedGeneration({ metadata: { generation }, status }: Canary): number | undefined {
    const accepted = this.#storedGeneration ?? acceptedGenerationOf(status);
    return accepted === generation ? undefined : accepted;
  }

  async #accepted({ metadata, status }: KubeObject, signal: AbortSignal): Promise<readonly JsonRecord[]> {
    const { name, namespace = '', uid = '' } = metadata;
    const canary = { metadata: { name, namespace, uid }, status: parseStatus(status) };
    return this.#written.accepted(await this.#deps.anchors.acceptedSpecs(canary, signal));
  }

  async #fallbackFor(raw: KubeObject, refusal: CanaryRejection, isOfRoutes: boolean, signal: AbortSignal): Promise<Fallback | undefined> {
    const known = (spec: KubeObject) => this.#admit(spec, signal);
    // A guess must not take the requests for which this edit is refused.
    const guess = async (spec: KubeObject): Promise<Admitted | CanaryRejection> => {
      const admitted = await known(spec);
      return isOfRoutes && !('reason' in admitted) && this.#edits.takesRequests(admitted) ? refusal : admitted;
    };
    const accepted = () => this.#accepted(raw, signal);
    return fallbackOf(raw, refusal, this.#fallback, { ...this.#deps, accepted, admit: { known, guess } }, signal);
  }

  /** Has changes of the spec's objects wake the Canary. Returns milliseconds until an analysis without checks ends; 0 for any other. */
  track(canary: Canary, raw: KubeObject): number {
    const { track, trackedGeneration, clock } = this.#deps;
    const isTracked = trackedGeneration(labelOf(canary)) === raw.metadata.generation;
    if (!this.#fallback) {
      // Refused for an object in the cluster, and accepted since.
      if (!isTracked) track(canary, raw);
      return 0;
    }
    const { uncheckedUntilMs } = this.#fallback.refused;
    if (uncheckedUntilMs === undefined) {
      // Known from the anchor: the objects of that spec are watched, and restored when the Canary is deleted.
      if (isTracked) track(canary, { ...raw, metadata: { ...raw.metadata, generation: 0 }, spec: canary.spec });
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
      (await editedSincePromoted(admitted, raw, { ...this.#deps, accepted: () => this.#accepted(raw, signal) }, signal)) ??
      (await this.#fit.refusalOf(admitted, signal)) ??
      (await this.#arrival.refusalOf(admitted, signal)) ??
      admitted
    );
  }
}
