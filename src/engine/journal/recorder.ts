import { mergePatchOf } from '../../api/json-merge.ts';
import type { Facts } from '../facts.ts';
import { phaseOf, releaseOf, type Snapshot } from '../machine.ts';
import type { EngineEvent, Question } from '../questions.ts';
import { Concealment, type Hide } from './concealment.ts';
import { decisionOf, pathOf } from './decision.ts';
import {
  FIRST_PART_MS,
  type JournalEntry,
  type JournalPart,
  type JournalSegment,
  journalVersion,
  LARGEST_PART,
  MOST_ENTRIES,
} from './journal-part.ts';

const MOST_WRITES = 20;
const LONGEST_WRITE = 300;

export interface Step {
  before: Snapshot;
  event: EngineEvent;
  next: Snapshot;
  questions: readonly Question[];
}

export interface RecorderOptions {
  /** Version of Serin. */
  engine: string;
  /** Names this process. */
  writer: string;
  /** A new one for each part, so that no two parts can be compared by it. */
  hide(): Hide;
  /** Takes a part that is complete. */
  keep(part: JournalPart): void;
}

/**
 * Notes what the decisions of a release depend on, from the step that begins it to the step after which it rests. Steps that change nothing
 * are left out: what they saw comes with the next one.
 */
export class Recorder {
  readonly #options: RecorderOptions;
  #part: JournalPart | undefined;
  #conceal: Concealment;
  /** As the last entry had them. */
  #facts: object = {};
  #last: Snapshot | undefined;
  #entries = 0;
  #characters = 0;
  #number = 0;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#conceal = new Concealment(options.hide());
  }

  stepped(step: Step): void {
    const { before, next, event } = step;
    if (!isUnderWay(before) && !isUnderWay(next)) {
      this.#last = next;
      return;
    }
    const isUnread = this.#last !== before;
    this.#last = next;
    if (!isUnread && hasNoEffect(step)) return;
    this.#part ??= this.#begun(step);
    const { segments } = this.#part;
    const facts = this.#conceal.facts(event.facts);
    if (isUnread || segments.length === 0) segments.push(this.#add({ from: this.#from(before), entries: [] }));
    segments.at(-1)?.entries.push(this.#add(this.#entryOf(step, facts)));
    this.#entries += 1;
    this.#part.endedMs = event.facts.nowMs;
    this.#part.run = releaseOf(next).run;
    this.#part.revision = releaseOf(next).revision;
    const phase = phaseOf(next);
    const isOver = !isUnderWay(next);
    if (isOver && (phase === 'Initialized' || phase === 'Succeeded' || phase === 'Failed')) this.#part.ended = phase;
    const isFull = this.#entries >= MOST_ENTRIES || this.#characters >= LARGEST_PART;
    if (isOver || isFull || event.facts.nowMs - this.#part.beganMs >= FIRST_PART_MS * 2 ** (this.#number - 1)) this.#end();
    if (isOver) this.#number = 0;
  }

  /** Something was written to the cluster. */
  wrote(what: string): void {
    const entry = this.#part?.segments.at(-1)?.entries.at(-1);
    if (!entry) return;
    const writes = entry.writes ?? [];
    if (writes.length < MOST_WRITES) entry.writes = [...writes, what.slice(0, LONGEST_WRITE)];
  }

  /** This process stops: keeps what was noted so far. */
  stop(): void {
    if (this.#part) this.#part.stopped = true;
    this.#end();
  }

  /** What comes next begins a new part. */
  #end(): void {
    const part = this.#part;
    this.#part = undefined;
    this.#entries = 0;
    this.#characters = 0;
    this.#facts = {};
    if (part) this.#options.keep(part);
  }

  #begun({ next, event: { facts } }: Step): JournalPart {
    this.#conceal = new Concealment(this.#options.hide());
    this.#facts = {};
    const { name, namespace, uid } = facts.canary.metadata;
    const { run, revision } = releaseOf(next);
    const { nowMs: beganMs } = facts;
    const { engine, writer } = this.#options;
    this.#number += 1;
    const head = {
      version: journalVersion,
      engine,
      writer,
      canary: { namespace, name, uid },
      run,
      number: this.#number,
      revision,
    } as const;
    return { ...head, beganMs, endedMs: beganMs, segments: [] };
  }

  #from({ value, context }: Snapshot): JournalSegment['from'] {
    return asJson({ value, context: this.#conceal.context(context) }) as JournalSegment['from'];
  }

  #entryOf({ event, next, questions }: Step, facts: Facts): JournalEntry {
    const now = asJson(facts) as object;
    const patch = mergePatchOf(this.#facts, now);
    this.#facts = now;
    const decided = decisionOf(next, questions, facts.nowMs);
    return asJson({
      event: event.type,
      ...(patch === undefined ? {} : { facts: patch }),
      ...(event.type === 'ANSWER' ? { answer: this.#conceal.answer(event.answer) } : {}),
      ...(event.type === 'DELIVERED' ? { key: event.key } : {}),
      decided,
    }) as JournalEntry;
  }

  #add<T>(noted: T): T {
    this.#characters += JSON.stringify(noted).length;
    return noted;
  }
}

/** A release is being started, analysed, promoted or rolled back. Initialization is none. */
export function isUnderWay(snapshot: Snapshot): boolean {
  const [phase = ''] = pathOf(snapshot.value).split('.');
  if (['New', 'Initializing', 'Terminating', 'Terminated'].includes(phase)) return false;
  return !snapshot.context.frozen && !pathOf(snapshot.value).endsWith('.resting');
}

function hasNoEffect({ before, next, questions }: Step): boolean {
  return questions.length === 0 && stateText(before) === stateText(next);
}

const stateText = ({ value, context }: Snapshot): string => JSON.stringify([value, context]);

/** Without what is undefined, as it is stored. */
function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
