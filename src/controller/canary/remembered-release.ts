import type { Canary } from '../../api/canary.ts';
import type { Release } from '../../api/canary-status.ts';
import { RESTING } from '../../api/step.ts';
import type { Facts } from '../../engine/facts.ts';
import type { RecordedStep } from '../../engine/journal/open-part.ts';
import { handleEvent, isAtRest, releaseOf, type Snapshot, start } from '../../engine/machine.ts';
import type { EngineEvent, Question } from '../../engine/questions.ts';
import type { Unmoved } from '../../engine/unmoved.ts';
import { SAME_CLOCK_MS } from '../../kube/server-clock.ts';
import { isSameStored, memoryOf, plain } from '../status/patch.ts';
import { type CanaryMessage, engineEvents } from './engine-events.ts';

/** Hears of a step, and of a decision in it that had no move. */
type Stepped = (step: RecordedStep, unmoved: Unmoved | undefined) => void;

/** One Canary's place in the chart, and the stored release that it was last derived from. */
export class RememberedRelease {
  #snapshot: Snapshot | undefined;
  #stored: unknown;
  /** Time of the last step. */
  #steppedMs = 0;

  /** Steps through what has happened, from the Canary's status where nothing is remembered. `stepped` hears of each step. */
  advance(canary: Canary, facts: Facts, messages: readonly CanaryMessage[], stepped: Stepped): Question[] {
    this.#steppedMs = facts.nowMs;
    let now = this.#snapshot;
    let events: EngineEvent[];
    if (now === undefined) {
      now = start(canary, facts);
      // Wakes and answers are of what is not remembered any more.
      const delivered = messages.filter(({ type }) => type === 'DELIVERED');
      events = [{ type: 'RESUME', facts }, ...delivered.map((message) => ({ ...message, facts }))];
    } else events = engineEvents(messages, now, facts);
    const asked: Question[] = [];
    for (const event of events) {
      const { next, questions, unmoved } = handleEvent(now, event);
      stepped({ before: now, event, next, questions }, unmoved);
      now = next;
      asked.push(...questions);
    }
    this.#snapshot = now;
    return asked;
  }

  /** The next `advance` begins from the Canary's status. */
  drop(): void {
    this.#snapshot = undefined;
  }

  /** True if this moment is well before the last step. */
  isAheadOf(nowMs: number): boolean {
    return this.#snapshot !== undefined && this.#steppedMs - nowMs >= SAME_CLOCK_MS;
  }

  /** True while it has a place in the chart. */
  get isKnown(): boolean {
    return this.#snapshot !== undefined;
  }

  /** True if this was derived from the Canary's stored release. */
  isOf(canary: Canary): boolean {
    return isSameStored(this.#stored, memoryOf(canary));
  }

  /** Derives it from this Canary's stored release from now on. */
  setStored(canary: Canary): void {
    this.#stored = plain(memoryOf(canary));
  }

  /** No wake, no answer and no delivery is awaited: only a change of the cluster moves it. */
  get isAtRest(): boolean {
    return this.#snapshot !== undefined && isAtRest(this.#snapshot);
  }

  /** The release that is over and has nothing left to do. */
  get ended(): Release | undefined {
    const snapshot = this.#snapshot;
    if (snapshot === undefined || !isAtRest(snapshot) || snapshot.context.frozen) return undefined;
    const { value } = snapshot;
    return typeof value === 'object' && Object.values(value)[0] === RESTING ? releaseOf(snapshot) : undefined;
  }

  /** Undefined where it is not known yet. */
  get isRollingBack(): boolean | undefined {
    const state = this.#snapshot?.value;
    return typeof state === 'object' ? 'Failed' in state && state.Failed !== RESTING : undefined;
  }
}
