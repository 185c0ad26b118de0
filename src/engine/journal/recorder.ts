import { isResting } from '../../api/step.ts';
import type { Context } from '../context.ts';
import { phaseOf, type Snapshot } from '../machine.ts';
import type { Hide } from './concealment.ts';
import type { Holder, JournalMemory } from './journal-memory.ts';
import { FIRST_PART_MS, type JournalPart } from './journal-part.ts';
import { OpenPart, type RecordedStep } from './open-part.ts';
import { statePath } from './step-summary.ts';

export interface RecorderOptions {
  /** Namespace of the Canary. */
  namespace: string;
  /** Version of Serin. */
  engine: string;
  /** Name of this process. */
  writer: string;
  /** A new function for each part, so that no two parts can be compared by its texts. */
  hide(): Hide;
  /** Shared by all recorders; it can make the recorder give up the part in progress. */
  memory: JournalMemory;
  /** Stores a complete part. */
  keep(part: JournalPart): void;
}

/**
 * Notes the input of a release's decisions, from the step that begins it to the step after which the Canary is idle. Steps that change nothing are left out:
 * their facts come with the next entry.
 */
export class JournalRecorder implements Holder {
  readonly #options: RecorderOptions;
  #part: OpenPart | undefined;
  #last: Snapshot | undefined;
  #number = 0;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  get namespace(): string {
    return this.#options.namespace;
  }

  stepped(step: RecordedStep): void {
    const { before, next, event } = step;
    const { engine, writer, hide, memory } = this.#options;
    const isOver = !isUnderWay(next);
    if (isOver && !isUnderWay(before)) {
      this.#last = next;
      return;
    }
    const isUnread = this.#last !== before;
    this.#last = next;
    if (!isUnread && hasNoEffect(step)) return;
    if (!this.#part) {
      this.#number += 1;
      this.#part = new OpenPart(step, { engine, writer, number: this.#number }, hide());
    }
    this.#part.add(step, isUnread);
    const lastsMs = event.facts.nowMs - this.#part.beganMs;
    const phase = phaseOf(next);
    if (isOver) this.#end(phase === 'Initialized' || phase === 'Succeeded' || phase === 'Failed' ? { ended: phase } : {});
    else if (this.#part.isFull || lastsMs >= FIRST_PART_MS * 2 ** (this.#number - 1)) this.#end({});
    else memory.hold(this, this.#part.size);
    if (isOver) this.#number = 0;
  }

  /** Notes a write to the cluster. */
  wrote(what: string): void {
    this.#part?.wrote(what);
  }

  /** Drops the part in progress; the next step begins a new one. */
  giveUp(): void {
    this.#part = undefined;
  }

  /** This process stops: stores the notes so far. */
  stop(): void {
    this.#end({ stopped: true });
  }

  /** The next entry begins a new part. */
  #end(how: Pick<JournalPart, 'ended' | 'stopped'>): void {
    const part = this.#part?.ended(how);
    this.#part = undefined;
    this.#options.memory.hold(this, 0);
    if (part) this.#options.keep(part);
  }
}

/** A release is being started, analysed, promoted or rolled back. Initialization does not count. */
export function isUnderWay(snapshot: Snapshot): boolean {
  const [phase = ''] = statePath(snapshot.value).split('.');
  if (['New', 'Initializing', 'Terminating', 'Terminated'].includes(phase)) return false;
  return !snapshot.context.frozen && !isResting({ step: statePath(snapshot.value).split('.')[1] });
}

function hasNoEffect({ before, next, questions }: RecordedStep): boolean {
  return questions.length === 0 && isSameText(before.value, next.value) && isSameContext(before.context, next.context);
}

/** Compares texts field by field: most values are the same object, and need no text. */
function isSameContext(one: Context, other: Context): boolean {
  const { release, ...rest } = one;
  const { release: otherRelease, ...otherRest } = other;
  return isSameByField(rest, otherRest) && isSameByField(release, otherRelease);
}

function isSameByField(one: object, other: object): boolean {
  const fields = new Map(Object.entries(other));
  const isSame = ([name, value]: [string, unknown]) => value === fields.get(name) || isSameText(value, fields.get(name));
  return Object.entries(one).every(isSame) && Object.keys(other).every((name) => name in one || fields.get(name) === undefined);
}

const isSameText = (one: unknown, other: unknown): boolean => one === other || JSON.stringify(one) === JSON.stringify(other);
