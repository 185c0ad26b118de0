import type { Canary } from '../../api/canary.ts';
import { type KubeObject, labelOf, type ObjectRef, refKey } from '../../api/kube-object.ts';
import type { Adoption, Facts } from '../../engine/facts.ts';
import { type Admitted, type CanaryRejection, noteArrival, refuse } from '../admission/admission.ts';
import { ArrivalWarnings } from '../admission/arrival-warnings.ts';
import { RunnableSpec } from '../admission/runnable-spec.ts';
import { inspectAdoption, isForeign } from '../adoption/adoption.ts';
import type { ControllerDeps } from '../controller-deps.ts';
import { companionRefs } from '../facts/companions.ts';
import { gatherFacts } from '../facts/gather-facts.ts';
import { watchedBy } from '../facts/interests.ts';
import { keepFinalizer } from '../objects/finalizer.ts';
import type { Convergence } from '../reconcile/convergence.ts';
import type { Unwatched } from '../status/warnings.ts';
import { readCanary } from '../watch/read-canary.ts';
import { isUrgent, urgencyNow } from '../watch/stored-priority.ts';
import { writerBehindMs } from '../writer-clock.ts';
import type { Alarms } from './alarms.ts';
import { followPods } from './canary-pods.ts';
import { ConfigTracker } from './config-tracker.ts';
import { PodLogs } from './pod-logs.ts';
import { PrimaryPods } from './primary-pods.ts';

/** The passes of one Canary, as its inputs know them. */
export interface Passes {
  alarms: Pick<Alarms<'unchecked' | 'configs' | 'arrival'>, 'set' | 'clear'>;
  /** Of the work under way. */
  signal(): AbortSignal;
  wake(): void;
  /** Another pass, at once after this one. */
  again(): void;
}

/** Everything that a pass over one Canary reads: a spec that can run, its configs, the state of a target that is taken over, and the facts of a moment. */
export class CanaryInputs {
  readonly #deps: ControllerDeps;
  readonly #convergence: Convergence;
  readonly #passes: Passes;
  readonly spec: RunnableSpec;
  readonly configs: ConfigTracker;
  readonly arrivalWarnings: ArrivalWarnings;
  readonly #primaryPods: PrimaryPods;
  readonly #podLogs: PodLogs;
  #adoption: Adoption | undefined;
  /** Another pass follows when lists have come for which this one did not wait. */
  #isListAwaited = false;

  constructor(deps: ControllerDeps, label: string, convergence: Convergence, passes: Passes) {
    this.#deps = deps;
    this.#convergence = convergence;
    this.#passes = passes;
    this.configs = new ConfigTracker(deps, label);
    this.arrivalWarnings = new ArrivalWarnings(deps);
    this.#primaryPods = new PrimaryPods(deps);
    this.#podLogs = new PodLogs(deps, passes.wake);
    this.spec = new RunnableSpec(deps, this.arrivalWarnings, convergence.memory.writtenSpec);
  }

  /** Reads what the chart needs, or the reason for which the Canary cannot run, which is reported. `undefined` if another pass follows. */
  async read(raw: KubeObject): Promise<Admitted | CanaryRejection | undefined> {
    const { alarms, again, wake } = this.#passes;
    const noted = await noteArrival(raw, this.#deps, this.#signal);
    if (noted === 'written') again();
    if (noted !== 'unneeded') return undefined;
    const hurries = isUrgent(urgencyNow(raw, this.#deps.view));
    if (hurries) await this.#readAhead(raw);
    const runnable = await this.spec.resolve(raw, this.#signal);
    this.#ring('arrival', this.spec.retryInMs);
    if ('reason' in runnable) {
      await refuse(raw, runnable, this.#deps, this.#signal);
      return runnable;
    }
    const { canary, workload } = runnable;
    alarms.clear('unchecked');
    const uncheckedMs = this.spec.track(canary, raw);
    if (uncheckedMs > 0) alarms.set('unchecked', uncheckedMs, wake);
    await this.#watched(runnable, hurries);
    if (this.spec.fallback === undefined && (await keepFinalizer(canary, this.#deps, this.#signal))) {
      again();
      return undefined;
    }
    await this.spec.note(canary, this.#signal);
    const retryConfigsMs = await this.configs.read(canary, workload, this.#signal);
    this.#ring('configs', retryConfigsMs);
    // Another controller's Canary is not taken over before the state of its target is known.
    const isTakenOver = isForeign(canary, this.#deps.view);
    if (isTakenOver && retryConfigsMs !== undefined) return undefined;
    followPods(canary, workload, labelOf(canary), this.#deps);
    await this.#primaryPods.look(canary, workload, this.#signal);
    this.#lookAtLogs(canary);
    // Inspected again until it is recorded: a version pushed meanwhile must not be taken for the primary's.
    this.#adoption = isTakenOver ? await inspectAdoption(canary, { ...this.#deps, signal: this.#signal }) : undefined;
    return runnable;
  }

  /** The facts of this moment. */
  facts({ canary, provider, router }: Admitted): Facts {
    const { view, config, clock, globalAlerts } = this.#deps;
    const pods = this.#pods(canary);
    const { problem: primaryProblem } = this.#primaryPods;
    return gatherFacts({
      ...{ canary, provider, router, view, config, globalAlerts },
      globalEvents: config.eventWebhook !== '',
      cookieWord: this.#deps.cookieWord(),
      adoption: this.#adoption,
      nowMs: clock.nowMs(),
      writerBehindMs: writerBehindMs(canary.status?.release, this.#deps),
      ...this.#convergence.state,
      refused: this.spec.fallback?.refused,
      targetConfigs: this.configs.latest,
      failing: pods && 'failing' in pods ? this.#podLogs.in(pods.failing) : undefined,
      primaryProblem: primaryProblem && this.#podLogs.of(primaryProblem),
    });
  }

  /** For the warnings of the status. */
  unwatched(canary: Canary): Unwatched {
    const companions = this.#convergence.memory.companions.messageFor(canary);
    return { configs: this.configs.unwatched, pods: this.#pods(canary), companions, lost: this.arrivalWarnings.messageFor(canary) };
  }

  /** Reads the objects that the pass looks at where their lists are under way. */
  async #readAhead(raw: KubeObject): Promise<void> {
    const { view, config, cluster } = this.#deps;
    const canary = readCanary(raw);
    if (canary) await view.readAhead(watchedBy(canary, config), cluster, this.#signal);
  }

  /**
   * Waits until all objects that the pass looks at are known. A pass that hurries does not wait for lists that only others of its writes need: the objects of
   * users around the application.
   */
  async #watched({ canary, workload, router }: Admitted, hurries: boolean): Promise<void> {
    const { view, config, clock } = this.#deps;
    const companions = companionRefs(canary, config);
    view.lookAgain(companions, clock.nowMs());
    const own = new Set([...workload.watches(canary), ...router.watches(canary)].map(refKey));
    const watched = watchedBy(canary, config);
    const isNeeded = (ref: ObjectRef) => !hurries || ref.name !== '' || own.has(refKey(ref));
    this.#passWhenListed(watched.filter((ref) => !isNeeded(ref)));
    await Promise.all(watched.filter(isNeeded).map((ref) => view.ready(ref)));
  }

  #passWhenListed(refs: readonly ObjectRef[]): void {
    const { view } = this.#deps;
    if (this.#isListAwaited || refs.every((ref) => view.isListed(ref))) return;
    this.#isListAwaited = true;
    const over = () => {
      this.#isListAwaited = false;
      this.#passes.wake();
    };
    // It rejects when the view is stopped.
    Promise.all(refs.map((ref) => view.ready(ref))).then(over, () => undefined);
  }

  #lookAtLogs(canary: Canary): void {
    const pods = this.#pods(canary);
    const seen = pods && 'failing' in pods ? [pods.failing.last, pods.failing.problem] : [];
    const { metadata, status } = canary;
    this.#podLogs.look(metadata.namespace, status?.release?.run ?? 0, [...seen, this.#primaryPods.problem], this.#signal);
  }

  #pods(canary: Canary) {
    return this.#deps.podWatches.find(labelOf(canary));
  }

  #ring(name: 'arrival' | 'configs', ms: number | undefined): void {
    const { alarms, wake } = this.#passes;
    alarms.clear(name);
    if (ms !== undefined) alarms.set(name, ms, wake);
  }

  get #signal(): AbortSignal {
    return this.#passes.signal();
  }
}
