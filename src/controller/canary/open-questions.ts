import type { Canary } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { Answer, Question } from '../../engine/questions.ts';
import type { ControllerDeps } from '../controller-deps.ts';
import { answerQuestion } from './answer-questions.ts';
import type { ConfigTracker } from './config-tracker.ts';

/** Receives the results of questions. */
export interface QuestionResults {
  answered(answer: Answer): void;
  /** The question could not be started at all. */
  failed(error: unknown): void;
  /** The chart wants to be woken in so many milliseconds, by `ring`. */
  wakeIn(ms: number, ring: () => void): void;
  /** The moment that it requested has come. */
  due(): void;
}

/** The questions of one Canary that are under way: superseded together, and no answer of those comes back. */
export class OpenQuestions {
  readonly #deps: ControllerDeps;
  readonly #configs: ConfigTracker;
  readonly #results: QuestionResults;
  #under = new AbortController();
  #unanswered = 0;
  /** Start of the tick under way, by the monotonic clock. */
  #tickBeganMs: number | undefined;

  constructor(deps: ControllerDeps, configs: ConfigTracker, results: QuestionResults) {
    this.#deps = deps;
    this.#configs = configs;
    this.#results = results;
  }

  get signal(): AbortSignal {
    return this.#under.signal;
  }

  get areAnswered(): boolean {
    return this.#unanswered === 0;
  }

  ask(canary: Canary, questions: readonly Question[]): void {
    for (const question of questions) {
      switch (question.kind) {
        case 'record':
          break;
        case 'announce':
          this.#deps.announce(canary, question.announcement);
          break;
        case 'wakeAt':
          this.#wakeAt(question.atMs);
          break;
        default:
          this.#put(question, canary);
      }
    }
  }

  /** A timer can ring a millisecond before the clock shows its time: nothing is due then, and a reconcile would be in vain. */
  #wakeAt(atMs: number): void {
    const { clock, metrics } = this.#deps;
    this.#results.wakeIn(atMs - clock.nowMs(), () => {
      const lateMs = clock.nowMs() - atMs;
      if (lateMs < 0) {
        this.#wakeAt(atMs);
        return;
      }
      this.#tickBeganMs = clock.monotonicMs();
      metrics.tickBegan(lateMs);
      this.#results.due();
    });
  }

  /** The checks of a tick have been judged. */
  endTick(canary: Canary): void {
    const { clock, metrics } = this.#deps;
    if (this.#tickBeganMs !== undefined) metrics.tickEnded(canary, clock.monotonicMs() - this.#tickBeganMs);
    this.#tickBeganMs = undefined;
  }

  /** Drops the answers of all open questions. */
  supersede(): void {
    this.#under.abort(new Error('superseded'));
    this.#under = new AbortController();
  }

  stop(): void {
    this.#under.abort(new Error('stopped'));
  }

  #put(question: Parameters<typeof answerQuestion>[0], canary: Canary): void {
    const { clock, cluster, anchors, salts, config, view, measure, compare, secret, callsOf, gatesOf, timeCall } = this.#deps;
    const { signal } = this;
    const learn = (object: KubeObject) => view.learn(object);
    const configs = this.#configs.learner;
    this.#unanswered += 1;
    answerQuestion(question, {
      ...{ canary, clock, cluster, anchors, salts, config, configs, learn },
      ...{ measure, compare, secret, callsOf, gatesOf, timeCall, signal },
    })
      .finally(() => {
        this.#unanswered -= 1;
      })
      .then(
        (answer) => {
          if (!signal.aborted) this.#results.answered(answer);
        },
        (error: unknown) => {
          if (!signal.aborted) this.#results.failed(error);
        },
      );
  }
}
