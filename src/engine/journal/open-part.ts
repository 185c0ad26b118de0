import type { JsonRecord } from '../../base/json.ts';
import { mergePatchOf } from '../../base/json-merge.ts';
import type { ComparedPods } from '../../judge/pod-spread.ts';
import { comparedMetrics } from '../comparison/compared-metrics.ts';
import { comparedSoFar } from '../comparison/compared-so-far.ts';
import type { Facts } from '../facts.ts';
import { releaseOf, type Snapshot } from '../machine.ts';
import type { EngineEvent, Question } from '../questions.ts';
import { Concealment, type Hide } from './concealment.ts';
import { type JournalPart, journalVersion, LARGEST_PART, MOST_JOURNAL_ENTRIES } from './journal-part.ts';
import { CountsNotes } from './noted-counts.ts';
import { type NotedPoll, notedPoll, wakeAfterPoll } from './noted-polls.ts';
import { type StepSummary, stepSummary } from './step-summary.ts';

const MOST_WRITES = 20;
const LONGEST_WRITE = 300;
/** Names of facts contain no dot. */
const CANARY = 'canary.';

export interface RecordedStep {
  before: Snapshot;
  event: EngineEvent;
  next: Snapshot;
  questions: readonly Question[];
}

interface OpenEntry {
  text: string;
  writes?: string[];
  polls?: string[];
  /** The decision without its questions. */
  course: string;
  /** Question of a poll without other changes: it can become one short record together with its answer. */
  asked?: { nowMs: number; afterMs: number; wakeMs: number | null };
}

/** A part to which entries are added. Entries are kept as text: as objects they would take several times the memory. */
export class OpenPart {
  readonly #head: Omit<JournalPart, 'segments'>;
  readonly #conceal: Concealment;
  readonly #notes = new CountsNotes();
  readonly #segments: { from: string; entries: OpenEntry[] }[] = [];
  /** Facts of the last entry, by field; fields of the Canary are named `canary.` and their name. */
  #facts = new Map<string, string>();
  #factsLength = 0;
  /** Time of the last noted step. */
  #lastMs = 0;
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
    return this.#entries >= MOST_JOURNAL_ENTRIES || this.#characters >= LARGEST_PART;
  }

  /** Number of characters of the part. */
  get size(): number {
    return this.#characters + this.#factsLength;
  }

  /** `isUnread`: the step does not continue from the last one. */
  add(step: RecordedStep, isUnread: boolean): void {
    const { before, next, event } = step;
    const facts = this.#conceal.facts(event.facts);
    if (isUnread || this.#segments.length === 0) {
      const from = JSON.stringify({ value: before.value, context: this.#conceal.context(before.context) });
      this.#segments.push({ from, entries: [] });
      this.#characters += from.length;
    }
    const patch = this.#changesTo(facts);
    const isOnlyLater = Object.keys(patch ?? {}).every((name) => name === 'nowMs');
    const decided = stepSummary(next, step.questions, facts.nowMs);
    if (!(isOnlyLater && this.#addPoll(step, decided))) this.#addEntry(step, decided, { patch, isOnlyLater });
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
      entries: entries.map(({ text, writes, polls }) => ({
        ...JSON.parse(text),
        ...(writes && { writes }),
        ...(polls && { polls: polls.map((poll) => JSON.parse(poll)) }),
      })),
    }));
    return { ...this.#head, ...how, segments };
  }

  #addEntry(
    { before, event }: RecordedStep,
    decided: StepSummary,
    { patch, isOnlyLater }: { patch: JsonRecord | undefined; isOnlyLater: boolean },
  ): void {
    const entries = this.#segments.at(-1)?.entries;
    const last = entries?.at(-1);
    const { nowMs } = event.facts;
    const course = courseOf(decided);
    const wake = event.type === 'WAKE' && isOnlyLater && last?.course === course ? wakeAfterPoll(decided.asks, true) : undefined;
    const text = JSON.stringify({
      event: event.type,
      ...(patch === undefined ? {} : { facts: patch }),
      ...(event.type === 'ANSWER' ? { answer: this.#answerOf(event, before) } : {}),
      ...(event.type === 'DELIVERED' ? { key: event.key } : {}),
      decided,
    });
    entries?.push({ text, course, ...(wake && { asked: { nowMs, afterMs: nowMs - this.#lastMs, wakeMs: wake.ms } }) });
    this.#lastMs = nowMs;
    this.#characters += text.length;
    this.#entries += 1;
  }

  /** Notes the step together with its question if it is the answer of a poll that changed nothing else. */
  #addPoll({ before, event }: RecordedStep, decided: StepSummary): boolean {
    const entries = this.#segments.at(-1)?.entries ?? [];
    const [last, question] = entries.slice(-2);
    if (event.type !== 'ANSWER' || event.answer.kind !== 'compare' || !last || !question?.asked || question.writes) return false;
    const wake = courseOf(decided) === last.course ? wakeAfterPoll(decided.asks, false) : undefined;
    if (!wake) return false;
    const answer = this.#conceal.answer(event.answer);
    if (answer.kind !== 'compare') return false;
    const { nowMs } = event.facts;
    const { asked } = question;
    const times: NotedPoll['times'] = [asked.afterMs, nowMs - asked.nowMs, asked.wakeMs, wake.ms];
    const poll = notedPoll(answer.compared, { times, nowMs, before: podsKnown(event, before, 'errors') }, this.#notes);
    if (!poll) return false;
    const text = JSON.stringify(poll);
    last.polls ??= [];
    last.polls.push(text);
    entries.pop();
    this.#lastMs = nowMs;
    this.#characters += text.length - question.text.length;
    this.#entries -= 1;
    return true;
  }

  #answerOf(event: Extract<EngineEvent, { type: 'ANSWER' }>, before: Snapshot) {
    const answer = this.#conceal.answer(event.answer);
    if (!('compared' in answer) || answer.compared === undefined) return answer;
    return { ...answer, compared: answer.compared.map((one) => this.#notes.noted(one, podsKnown(event, before, one.metric))) };
  }

  /** The patch from the facts of the last entry. Most fields have not changed: equal texts show that without parsing. */
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

/** Texts in JSON form: undefined fields are left out. */
function textsOf(fields: readonly [string, unknown][]): Map<string, string> {
  const texts = new Map<string, string>();
  for (const [name, value] of fields) {
    const text: string | undefined = JSON.stringify(value);
    if (text !== undefined) texts.set(name, text);
  }
  return texts;
}

const courseOf = ({ asks: _, ...course }: StepSummary): string => JSON.stringify(course);

/** Pods that the judge knew before the answer. */
function podsKnown({ facts }: EngineEvent, { context }: Snapshot, name: string): ComparedPods | undefined {
  const metric = comparedMetrics(facts.canary.spec.analysis).find((one) => one.name === name);
  return metric && comparedSoFar(context.release, metric).evidence.pods;
}
