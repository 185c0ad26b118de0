import { isDeepStrictEqual } from 'node:util';
import type { NewBlocker } from '../../api/blocker.ts';
import { blockerText } from '../../api/blocker-text.ts';
import type { Canary } from '../../api/canary.ts';
import { desiredStateOf } from '../../engine/desired-state-of.ts';
import type { Facts } from '../../engine/facts.ts';
import { isConflict } from '../../kube/errors.ts';
import type { Router } from '../../routers/router.ts';
import { AcceptedSpec } from '../admission/accepted-spec.ts';
import { RefusedSteering } from '../admission/refused-steering.ts';
import type { Told } from '../canary/told.ts';
import type { ControllerRoom } from '../controller-room.ts';
import { HealingBrake } from '../objects/healing-brake.ts';
import { Marks } from '../objects/marks.ts';
import { blockerOf } from '../status/blocker-of.ts';
import { reconcile } from './reconcile.ts';
import { type ReconcileContext, workloadOf } from './reconcile-context.ts';
import { TakenApex } from './taken-apex.ts';

const FIRST_BLOCKED_MS = 500;
/** Between two tries while blocked: what removes a blocker is not always heard of, and must not wait for long. */
const LONGEST_BLOCKED_MS = 15_000;

/** Whether the cluster holds what one Canary wants of it, as the facts say it. */
export type Standing = Pick<Facts, 'converged'> & {
  unconfirmed: Facts['unconfirmed'] | undefined;
  blocker: Facts['blocker'] | undefined;
  unroutable: Facts['unroutable'] | undefined;
};

/** Brings the cluster to what the recorded status asks for, and remembers between passes how far it is and what keeps it from that. */
export class Convergence {
  readonly #room: ControllerRoom;
  readonly #told: Told;
  #brake = new HealingBrake();
  readonly #accepted = new AcceptedSpec();
  readonly #marks = new Marks();
  /** What the cluster has refused of the Services' traffic fields. */
  readonly steering = new RefusedSteering();
  readonly #apex = new TakenApex();
  readonly #wanted = new Map<string, string>();
  readonly #answers: ReconcileContext['answers'] = new Map();
  readonly #lastReplicas = new Map<string, number>();
  #standing: Standing = { converged: false, unconfirmed: undefined, blocker: undefined, unroutable: undefined };
  /** A pass that ends at a blocker has not failed: its pauses grow on their own, until the blocker is gone. */
  #blockedPauseMs = FIRST_BLOCKED_MS;

  constructor(room: ControllerRoom, told: Told) {
    this.#room = room;
    this.#told = told;
  }

  get standing(): Standing {
    return this.#standing;
  }

  get brake(): HealingBrake {
    return this.#brake;
  }

  /** What the cluster holds is not known to be what is wanted. */
  unsettle(): void {
    this.#standing = { ...this.#standing, converged: false, unconfirmed: undefined };
  }

  /** Somebody else looks after the objects from here on: what was known of them is worth nothing. */
  forget(): void {
    this.#brake = new HealingBrake();
    this.#wanted.clear();
    this.#answers.clear();
    this.unsettle();
  }

  /** A pass has failed, perhaps for something that a person has to remove. */
  noteFailure(error: unknown, namespace: string): void {
    const blocker = blockerOf(error, namespace);
    if (blocker !== undefined) this.#standing = { ...this.#standing, blocker };
  }

  /** One pass. `again`: the facts are others now; `retryInMs`: a correction that waits, after `pauseMs` where somebody else wrote first. */
  async reach(
    canary: Canary,
    router: Router,
    facts: Facts,
    { pauseMs, signal }: { pauseMs: number; signal: AbortSignal },
  ): Promise<{ again: boolean; retryInMs?: number }> {
    const before = this.#standing;
    let wrote = false;
    let retryInMs: number | undefined;
    try {
      const worded = this.steering.worded(canary);
      const done = await reconcile(this.#context(worded, router, signal), desiredStateOf(canary, facts), facts);
      const unroutable = this.#sinceWhen(done.unroutable);
      this.#standing = { converged: done.converged, unconfirmed: done.unconfirmed, blocker: undefined, unroutable };
      this.#blockedPauseMs = FIRST_BLOCKED_MS;
      this.#told.refusal(canary, done.refused ?? done.unroutable);
      wrote = done.wrote;
      retryInMs = done.retryInMs;
      this.#told.doubtsOfRoutes(canary, router);
    } catch (error) {
      if (isConflict(error)) {
        // Somebody wrote between our look and our write: the watch brings their version, and wakes us.
        this.unsettle();
        return { again: false, retryInMs: pauseMs * 4 };
      }
      if (!workloadOf(canary).hasPods && this.steering.isOfCopies(error, canary)) {
        this.unsettle();
        return { again: true };
      }
      const blocker = blockerOf(error, canary.metadata.namespace);
      if (blocker === undefined) throw error;
      this.unsettle();
      this.#blockedBy(canary, blocker);
      retryInMs = this.#blockedPauseMs;
      this.#blockedPauseMs = Math.min(this.#blockedPauseMs * 2, LONGEST_BLOCKED_MS);
    }
    const hasMoved = !isDeepStrictEqual(before, this.#standing);
    return { again: wrote || hasMoved, ...(retryInMs === undefined ? {} : { retryInMs }) };
  }

  /** The time of a release that cannot go on counts from when that was first seen. */
  #sinceWhen(blocker: NewBlocker | undefined): Standing['unroutable'] {
    if (blocker === undefined) return undefined;
    const { sinceMs, ...known } = this.#standing.unroutable ?? { sinceMs: this.#room.clock.nowMs() };
    return { ...blocker, sinceMs: isDeepStrictEqual(known, blocker) ? sinceMs : this.#room.clock.nowMs() };
  }

  #context(canary: Canary, router: Router, signal: AbortSignal): ReconcileContext {
    const { cluster, view, anchors, config, clock } = this.#room;
    return {
      ...{ canary, router, cluster, view, anchors, config, clock, signal },
      brake: this.#brake,
      accepted: this.#accepted,
      marks: this.#marks,
      steering: this.steering,
      apex: this.#apex,
      wanted: this.#wanted,
      answers: this.#answers,
      lastReplicas: this.#lastReplicas,
      nowMs: clock.nowMs(),
    };
  }

  /** What keeps us from doing our part: the condition says it as long as it lasts, and an event once. */
  #blockedBy(canary: Canary, blocker: NewBlocker): void {
    if (!isDeepStrictEqual(this.#standing.blocker, blocker))
      this.#room.announceOn(canary, { reason: 'Blocked', type: 'Warning', message: blockerText(blocker) });
    this.#standing = { ...this.#standing, blocker };
  }
}
