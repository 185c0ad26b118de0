import type { Delivery, Release } from '../api/canary-status.ts';
import type { Phase } from '../api/phase.ts';
import type { Decision } from './decision.ts';
import type { EngineEvent, Question, QuestionId } from './questions.ts';

/** What is asked again and again beside the steps of one run. Not recorded: after a restart it is asked at once. */
export interface Poll {
  run: number;
  open?: QuestionId;
  answeredMs?: number;
  /** When it is asked next. */
  dueMs?: number;
}

/** Memory of the chart between events; all that outlives the process is in `release` and the phase. */
export interface Context {
  release: Release;
  /** As last given to `record`; absent for a Canary that has no release in its status. */
  recorded?: { phase: Phase; release: Release };
  /** Counts questions; starts from the time of `start()`, so that a rebuilt snapshot never repeats an id. */
  attempt: number;
  /** The question whose answer is awaited. */
  open?: QuestionId | undefined;
  /** Asked beside it: the rollback hooks. */
  rollback?: Poll | undefined;
  /** Asked beside it: counts of both sides. */
  comparing?: Poll | undefined;
  /** When the failings of the canary are looked at again. */
  failingDueMs?: number | undefined;
  /** When the current state wants to be woken. Polls are not recorded: RESUME asks at once. */
  wakeAtMs?: number | undefined;
  /** The moment that the controller was last asked to wake it. */
  askedWakeMs?: number | undefined;
  /** The last check was asked under routes that another writer had changed back: what passes then advances nothing (E63a). `held`: they were in the interval. */
  contest?: 'asked' | 'held' | undefined;
  /** In the interval of this check another writer had led requests of the canary elsewhere: metrics say nothing of it (E63a). */
  misled?: true | undefined;
  /** Asked during this step, in order. */
  asks: readonly Question[];
  /** Suspended or being deleted: nothing is asked. */
  frozen: boolean;
  /** The last event had a blocker that only a user can remove. */
  blocked: boolean;
}

export interface Input {
  context: Context;
  event: EngineEvent;
}

/** The same with what was decided about the event. */
export interface Decided extends Input {
  event: EngineEvent & { decision: Decision };
}

/** News that wait at the same time; of more the oldest are dropped: a dead receiver must not make the status grow. */
const MOST_NEWS = 20;

/** Adds messages (I6); a key that is already listed stays as it is. */
export function withDeliveries(release: Release, added: readonly Delivery[]): Release {
  const known = release.deliveries ?? [];
  const fresh = added.filter((one) => !known.some((other) => other.key === one.key));
  const all = [...known, ...fresh];
  const news = all.filter(({ outcome }) => outcome === undefined);
  const dropped = new Set(news.slice(0, Math.max(0, news.length - MOST_NEWS)));
  return { ...release, deliveries: all.filter((one) => !dropped.has(one)) };
}
