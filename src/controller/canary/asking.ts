import type { Canary } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { Answer, Question } from '../../engine/questions.ts';
import type { ControllerRoom } from '../controller-room.ts';
import { answerQuestion } from './answer-questions.ts';
import type { ConfigLook } from './config-look.ts';

/** What becomes of what was asked. */
export interface Heard {
  answered(answer: Answer): void;
  /** It could not be asked at all. */
  failed(error: unknown): void;
  /** The chart wants to be woken in so many milliseconds, by `ring`. */
  wakeIn(ms: number, ring: () => void): void;
  /** The moment that it asked for has come. */
  due(): void;
}

/** The questions of one Canary that are under way: superseded together, and no answer of those comes back. */
export class Asking {
  readonly #room: ControllerRoom;
  readonly #configs: ConfigLook;
  readonly #heard: Heard;
  #under = new AbortController();
  /** Of the tick under way, by the monotonic clock. */
  #tickBeganMs: number | undefined;

  constructor(room: ControllerRoom, configs: ConfigLook, heard: Heard) {
    this.#room = room;
    this.#configs = configs;
    this.#heard = heard;
  }

  get signal(): AbortSignal {
    return this.#under.signal;
  }

  ask(canary: Canary, questions: readonly Question[]): void {
    const { clock, metrics } = this.#room;
    for (const question of questions) {
      switch (question.kind) {
        case 'record':
          break;
        case 'announce':
          this.#room.announce(canary, question.announcement);
          break;
        case 'wakeAt':
          this.#heard.wakeIn(question.atMs - clock.nowMs(), () => {
            this.#tickBeganMs = clock.monotonicMs();
            metrics.tickBegan(clock.nowMs() - question.atMs);
            this.#heard.due();
          });
          break;
        default:
          this.#put(question, canary);
      }
    }
  }

  /** The checks of a tick have been judged. */
  endTick(canary: Canary): void {
    const { clock, metrics } = this.#room;
    if (this.#tickBeganMs !== undefined) metrics.tickEnded(canary, clock.monotonicMs() - this.#tickBeganMs);
    this.#tickBeganMs = undefined;
  }

  /** What was asked has no answer any more. */
  supersede(): void {
    this.#under.abort(new Error('superseded'));
    this.#under = new AbortController();
  }

  stop(): void {
    this.#under.abort(new Error('stopped'));
  }

  #put(question: Parameters<typeof answerQuestion>[0], canary: Canary): void {
    const { clock, cluster, anchors, config, view, measure, secret, callsOf, gatesOf, timeCall } = this.#room;
    const { signal } = this;
    const learn = (object: KubeObject) => view.learn(object);
    const configs = this.#configs.learner;
    answerQuestion(question, {
      canary,
      clock,
      cluster,
      anchors,
      config,
      configs,
      measure,
      secret,
      callsOf,
      gatesOf,
      timeCall,
      learn,
      signal,
    }).then(
      (answer) => {
        if (!signal.aborted) this.#heard.answered(answer);
      },
      (error: unknown) => {
        if (!signal.aborted) this.#heard.failed(error);
      },
    );
  }
}
