import { isDeepStrictEqual } from 'node:util';
import type { NewBlocker } from '../../api/blocker.ts';
import type { Canary } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { desiredStateOf } from '../../engine/desired-state-of.ts';
import type { Facts } from '../../engine/facts.ts';
import { BackOff } from '../../kube/back-off.ts';
import { isConflict } from '../../kube/errors.ts';
import type { Router } from '../../routers/router.ts';
import { blockerOf } from '../admission/blocker-of.ts';
import { RefusedTrafficFields } from '../admission/refused-traffic-fields.ts';
import { WrittenSpec } from '../admission/written-spec.ts';
import type { ControllerDeps } from '../controller-deps.ts';
import { targetRefOf } from '../facts/gather-facts.ts';
import { HealingBrake } from '../objects/healing-brake.ts';
import { KnownAnnotations } from '../objects/known-annotations.ts';
import type { Reported } from '../status/reported.ts';
import { CompanionNotes } from './companion-notes.ts';
import { type ReconcileContext, type ReconcileMemory, workloadOf } from './context.ts';
import { FollowerNotes } from './follower-notes.ts';
import { Introductions } from './introductions.ts';
import { LeftPorts } from './left-ports.ts';
import { reconcile } from './reconcile.ts';
import { ServiceGuard } from './service-guard.ts';

/** Pause between two tries while blocked: the end of a blocker does not always cause a watch event. */
const BLOCKED_MS = { from: 500, to: 15_000 };
/** Pause after a conflict, in case the watch does not bring the other writer's version. */
const CONFLICT_MS = 2_000;

/** Facts about how far the cluster matches the desired state of one Canary. */
export type ConvergenceState = Pick<Facts, 'converged'> & {
  unconfirmed: Facts['unconfirmed'] | undefined;
  blocker: Facts['blocker'] | undefined;
  unroutable: Facts['unroutable'] | undefined;
};

/** With another selector users reach no pod at all, or pods of a version that was not judged. */
const newBrake = (): HealingBrake => new HealingBrake({ longestSelectorPauseMs: 2_000 });

/** Brings the cluster to the recorded status, and remembers between reconciles its progress and its blocker. */
export class Convergence {
  readonly #deps: ControllerDeps;
  readonly #reported: Reported;
  #brake = newBrake();
  /** Traffic fields of the Services that the cluster has refused. */
  readonly trafficFields = new RefusedTrafficFields();
  readonly memory: ReconcileMemory;
  #state: ConvergenceState;
  /** A reconcile that ends at a blocker has not failed: its pauses grow on their own, until the blocker is gone. */
  readonly #blocked = new BackOff(BLOCKED_MS);

  /** `memory`: of a Canary that was idle, and converged. */
  constructor(deps: ControllerDeps, reported: Reported, memory: ReconcileMemory | undefined) {
    this.#deps = deps;
    this.#reported = reported;
    this.#state = { converged: memory !== undefined, unconfirmed: undefined, blocker: undefined, unroutable: undefined };
    this.memory = memory ?? {
      writtenSpec: new WrittenSpec(),
      annotations: new KnownAnnotations(),
      serviceGuard: new ServiceGuard(),
      followers: new FollowerNotes(),
      companions: new CompanionNotes(),
      wanted: new Map(),
      splitIn: new Map(),
      answers: new Map(),
      introductions: new Introductions(deps.clock),
      leftPorts: new LeftPorts(deps.clock),
      lastReplicas: new Map(),
    };
  }

  /** True if nothing but its memory is needed to go on from here. */
  get isSettled(): boolean {
    const { converged, unconfirmed, blocker, unroutable } = this.#state;
    const isHindered = unconfirmed !== undefined || blocker !== undefined || unroutable !== undefined;
    return converged && !isHindered && this.#brake.isReleased && this.trafficFields.areAccepted;
  }

  get state(): ConvergenceState {
    return this.#state;
  }

  get brake(): HealingBrake {
    return this.#brake;
  }

  /** Assumes the result of the last process, by the Canary's status: `reach` finds out. */
  assumeSettled(): void {
    this.#state = { ...this.#state, converged: true };
  }

  /** It is unknown whether the cluster holds the desired state. */
  unsettle(): void {
    this.#state = { ...this.#state, converged: false, unconfirmed: undefined };
  }

  /** Another controller writes the objects from here on: what was known of them no longer counts. */
  forget(): void {
    this.#brake = newBrake();
    this.memory.wanted.clear();
    this.memory.answers.clear();
    this.unsettle();
  }

  /** Notes that a reconcile has failed, perhaps at a blocker. */
  noteFailure(error: unknown, namespace: string): void {
    const blocker = blockerOf(error, namespace);
    if (blocker !== undefined) this.#state = { ...this.#state, blocker };
  }

  /** Reconciles once. `again`: the facts have changed. `retryInMs`: a correction that waits. */
  async reach(canary: Canary, router: Router, facts: Facts, signal: AbortSignal): Promise<{ again: boolean; retryInMs?: number }> {
    const before = this.#state;
    let wrote = false;
    let retryInMs: number | undefined;
    try {
      const writable = this.trafficFields.withoutRefused(canary);
      const outcome = await reconcile(this.#context(writable, router, signal), desiredStateOf(canary, facts), facts);
      const unroutable = this.#sinceWhen(outcome.unroutable);
      this.#state = { converged: outcome.converged, unconfirmed: outcome.unconfirmed, blocker: undefined, unroutable };
      this.#blocked.reset();
      this.#reported.blocked(canary, undefined);
      this.#reported.refusal(canary, outcome.refused ?? outcome.unroutable);
      ({ wrote, retryInMs } = outcome);
      this.#reported.routeWarnings(canary, router);
    } catch (error) {
      if (isConflict(error)) {
        // Another write came between our read and ours: the watch brings that version, and wakes us.
        this.unsettle();
        return { again: false, retryInMs: CONFLICT_MS };
      }
      if (!workloadOf(canary).hasPods && this.trafficFields.isRefusedForCopies(error, canary)) {
        this.unsettle();
        return { again: true };
      }
      const blocker = blockerOf(error, canary.metadata.namespace);
      if (blocker === undefined) throw error;
      this.unsettle();
      this.#state = { ...this.#state, blocker };
      const untilEventMs = this.#reported.blocked(canary, blocker) ?? Number.POSITIVE_INFINITY;
      retryInMs = Math.min(this.#blocked.next(), untilEventMs);
    }
    for (const one of this.#brake.takeNews()) this.#reported.corrected(canary, one);
    for (const name of this.memory.followers.takeNews()) this.#reported.follows(canary, name);
    const hasMoved = !isDeepStrictEqual(before, this.#state);
    return { again: wrote || hasMoved, ...(retryInMs === undefined ? {} : { retryInMs }) };
  }

  /** The time of a release that cannot go on counts from when that was first seen. */
  #sinceWhen(blocker: NewBlocker | undefined): ConvergenceState['unroutable'] {
    if (blocker === undefined) return undefined;
    const { sinceMs, ...known } = this.#state.unroutable ?? { sinceMs: this.#deps.clock.nowMs() };
    return { ...blocker, sinceMs: isDeepStrictEqual(known, blocker) ? sinceMs : this.#deps.clock.nowMs() };
  }

  #context(canary: Canary, router: Router, signal: AbortSignal): ReconcileContext {
    const { applications, cluster, view, anchors, salts, config, clock } = this.#deps;
    let target: Promise<KubeObject | undefined> | undefined;
    const readTarget = () => {
      target ??= cluster.get(targetRefOf(canary), { signal });
      return target;
    };
    return {
      ...{ canary, router, applications, cluster, view, anchors, salts, config, clock, signal },
      ...this.memory,
      brake: this.#brake,
      trafficFields: this.trafficFields,
      nowMs: clock.nowMs(),
      readTarget,
    };
  }
}
