import type { Delivery, Release } from '../api/canary-status.ts';
import type { Phase } from '../api/phase.ts';
import type { Decision } from './decision.ts';
import type { EngineEvent, Question, QuestionId } from './questions.ts';

/** A question that is repeated beside the steps of one run. Not recorded: after a restart it is put at once. */
export interface Poll {
  run: number;
  open?: QuestionId;
  answeredMs?: number;
  /** Next time of the question. */
  dueMs?: number;
}

/** Memory of the chart between events; everything that outlives the process is in `release` and the phase. */
export interface Context {
  release: Release;
  /** The state last given to `record`; absent for a Canary without a release in its status. */
  recorded?: { phase: Phase; release: Release };
  /** Counts questions; starts from the time of `start()`, so that a rebuilt snapshot never repeats an id. */
  attempt: number;
  /** The question whose answer is awaited. */
  open?: QuestionId | undefined;
  /** Beside the open question: the rollback hooks. */
  rollback?: Poll | undefined;
  /** Beside the open question: counts of both sides. */
  comparing?: Poll | undefined;
  /** Next time at which failures of the canary are evaluated. */
  failingDueMs?: number | undefined;
  /** Time at which the current state must be woken. Polls are not recorded: RESUME puts their question at once. */
  wakeAtMs?: number | undefined;
  /** Time of the last requested wake. */
  askedWakeMs?: number | undefined;
  /**
   * The last check began under routes that another writer had changed back: a passed check then advances nothing (E63a). `held`: the routes were contested in
   * the interval.
   */
  contest?: 'asked' | 'held' | undefined;
  /** In the interval of this check another writer had routed requests of the canary elsewhere: metrics say nothing about it (E63a). */
  misled?: true | undefined;
  /** Questions put during this transition, in order. */
  asks: readonly Question[];
  /** Suspended or being deleted: no question is put. */
  frozen: boolean;
  /** The last event had a blocker that only a user can remove. */
  blocked: boolean;
}

export interface Input {
  context: Context;
  event: EngineEvent;
}

/** The same with the decision about the event. */
export interface Decided extends Input {
  event: EngineEvent & { decision: Decision };
}

/** Maximum of waiting messages during a release; further ones replace the oldest: a dead receiver must not make the status grow. */
const MOST_NEWS = 20;

/** Adds messages (I6); a message whose key is already listed is not replaced. */
export function withDeliveries(release: Release, added: readonly Delivery[]): Release {
  const known = release.deliveries ?? [];
  const fresh = added.filter((one) => !known.some((other) => other.key === one.key));
  const all = [...known, ...fresh];
  const news = all.filter(({ outcome }) => outcome === undefined);
  const dropped = new Set(news.slice(0, Math.max(0, news.length - MOST_NEWS)));
  return { ...release, deliveries: all.filter((one) => !dropped.has(one)) };
}
