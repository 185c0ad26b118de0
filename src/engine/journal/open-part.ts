import type { JsonRecord } from '../../api/json.ts';
import { mergePatchOf } from '../../api/json-merge.ts';
import type { Facts } from '../facts.ts';
import { releaseOf, type Snapshot } from '../machine.ts';
import type { EngineEvent, Question } from '../questions.ts';
import { Concealment, type Hide } from './concealment.ts';
import { type JournalPart, journalVersion, LARGEST_PART, MOST_ENTRIES } from './journal-part.ts';
import { summaryOf } from './step-summary.ts';

const MOST_WRITES = 20;
const LONGEST_WRITE = 300;
/** No fact of its own has a dot in its name. */
const CANARY = 'canary.';

export interface RecordedStep {
  before: Snapshot;
  event: EngineEvent;
  next: Snapshot;
  questions: readonly Question[];
}

/** A part to which entries are added. They are kept as text: as objects they would take several times the memory. */
export class OpenPart {
  readonly #head: Omit<JournalPart, 'segments'>;
  readonly #conceal: Concealment;
  readonly #segments: { from: string; entries: { text: string; writes?: string[] }[] }[] = [];
  /** As the last entry had them, by field; those of the Canary by `canary.` and their name. */
  #facts = new Map<string, string>();
  #factsLength = 0;
  #entries = 0;
  #characters = 0;

  constructor({ next, event: { facts } }: RecordedStep, given: Pick<JournalPart, 'engine' | 'writer' | 'number'>, hide: Hide) {
    const { name, namespace, uid } = facts.canary.metadata;
    const { run, revision } = releaseOf(next);
    const canary = { namespace, name, uid };
    this.#head = { version: journalVersion, ...given, canary, run, revision, beganMs: facts.nowMs, endedMs: facts.nowMs };
    this.#conceal = new Concealment(hide);
  }

  get beganMs(): number {
    return this.#head.beganMs;
  }

  get isFull(): boolean {
    return this.#entries >= MOST_ENTRIES || this.#characters >= LARGEST_PART;
  }

  /** Characters that it holds. */
  get size(): number {
    return this.#characters + this.#factsLength;
  }

  /** `isUnread`: the step did not begin where the last one ended. */
  add(step: RecordedStep, isUnread: boolean): void {
    const { before, next, event } = step;
    const facts = this.#conceal.facts(event.facts);
    if (isUnread || this.#segments.length === 0) {
      const from = JSON.stringify({ value: before.value, context: this.#conceal.context(before.context) });
      this.#segments.push({ from, entries: [] });
      this.#characters += from.length;
    }
    const text = this.#entryOf(step, facts);
    this.#segments.at(-1)?.entries.push({ text });
    this.#characters += text.length;
    this.#entries += 1;
    const { run, revision } = releaseOf(next);
    Object.assign(this.#head, { run, revision, endedMs: facts.nowMs });
  }

  /** Something was written to the cluster after the last step. */
  wrote(what: string): void {
    const last = this.#segments.at(-1)?.entries.at(-1);
    if (!last) return;
    last.writes ??= [];
    if (last.writes.length < MOST_WRITES) last.writes.push(what.slice(0, LONGEST_WRITE));
  }

  ended(how: Pick<JournalPart, 'ended' | 'stopped'>): JournalPart {
    const segments = this.#segments.map(({ from, entries }) => ({
      from: JSON.parse(from),
      entries: entries.map(({ text, ...written }) => ({ ...JSON.parse(text), ...written })),
    }));
    return { ...this.#head, ...how, segments };
  }

  #entryOf({ event, next, questions }: RecordedStep, facts: Facts): string {
    const patch = this.#changesTo(facts);
    return JSON.stringify({
      event: event.type,
      ...(patch === undefined ? {} : { facts: patch }),
      ...(event.type === 'ANSWER' ? { answer: this.#conceal.answer(event.answer) } : {}),
      ...(event.type === 'DELIVERED' ? { key: event.key } : {}),
      decided: summaryOf(next, questions, facts.nowMs),
    });
  }

  /** The patch from the facts of the last entry. Most fields are as they were: their text shows it, and they are not parsed. */
  #changesTo({ canary, ...facts }: Facts): JsonRecord | undefined {
    const before = this.#facts;
    const ofCanary = Object.entries(canary).map(([name, value]): [string, unknown] => [CANARY + name, value]);
    const now = textsOf([...Object.entries(facts), ...ofCanary]);
    const patch: JsonRecord = {};
    const patchOfCanary: JsonRecord = {};
    for (const name of new Set([...before.keys(), ...now.keys()])) {
      const [was, is] = [before.get(name), now.get(name)];
      if (was === is) continue;
      const change = is === undefined ? null : was === undefined ? JSON.parse(is) : mergePatchOf(JSON.parse(was), JSON.parse(is));
      if (change === undefined) continue;
      if (name.startsWith(CANARY)) patchOfCanary[name.slice(CANARY.length)] = change;
      else patch[name] = change;
    }
    this.#facts = now;
    this.#factsLength = [...now].reduce((sum, [name, text]) => sum + name.length + text.length, 0);
    if (Object.keys(patchOfCanary).length > 0) patch.canary = patchOfCanary;
    return Object.keys(patch).length === 0 ? undefined : patch;
  }
}

/** As JSON has them: what is undefined is left out. */
function textsOf(fields: readonly [string, unknown][]): Map<string, string> {
  const texts = new Map<string, string>();
  for (const [name, value] of fields) {
    const text: string | undefined = JSON.stringify(value);
    if (text !== undefined) texts.set(name, text);
  }
  return texts;
}
