import type { Release } from '../../api/canary-status.ts';
import type { Context, Input } from '../context.ts';
import { pinTo } from '../pin.ts';
import type { Question } from '../questions.ts';
import type { Announcement } from '../reasons.ts';

/** Fields in the memory of a release that a change of the chart (`ChangeName`) sets. */
export type ContextPatch = Partial<Context>;
type NewQuestion<Q extends Question = Question> = Q extends Question ? Omit<Q, 'id'> : never;

export const now = ({ event }: Input) => event.facts.nowMs;
export const who = ({ event }: Input) => `${event.facts.canary.metadata.namespace}/${event.facts.canary.metadata.name}`;
export const targetName = ({ event }: Input) => event.facts.canary.spec.targetRef.name;
export const primaryServes = ({ event }: Input) => event.facts.primary?.serving === true || event.facts.target?.serving !== true;

/** The memory with some fields of the release changed. */
export function release(input: Input, change: Partial<Release>): ContextPatch {
  return { release: { ...input.context.release, ...change } };
}

/** Fields that a release can be without. */
type OptionalField = { [Name in keyof Release]-?: object extends Pick<Release, Name> ? Name : never }[keyof Release];

/** Drops fields that a change sets to undefined, so that records compare and serialize cleanly. */
export function without(from: Release, ...keys: readonly OptionalField[]): Release {
  const left = { ...from };
  for (const key of keys) delete left[key];
  if (keys.includes('gate')) delete left.gateClosed;
  // The reason was made from this answer.
  if (keys.includes('reason')) {
    delete left.refusedBy;
    delete left.refusal;
  }
  return left;
}

/** Records the reason for which a release waits or failed, in words; and as data the answer from which they were made. */
export function because(from: Release, reason: string, answered: Pick<Release, 'refusedBy' | 'refusal'> = {}): Release {
  return { ...without(from, 'reason'), reason, ...answered };
}

/** Emits a question, and waits for its answer if it has one. */
export function putQuestion(input: Input, question: NewQuestion): ContextPatch {
  const attempt = input.context.attempt + 1;
  const id = `${input.context.release.run}/${input.context.release.revision}/${attempt}`;
  const isAnswerable = question.kind !== 'announce' && question.kind !== 'wakeAt' && question.kind !== 'record';
  return { attempt, asks: [...input.context.asks, { ...question, id } as Question], ...(isAnswerable ? { open: id } : {}) };
}

export function announce(input: Input, announcement: Announcement): ContextPatch {
  return putQuestion(input, { kind: 'announce', announcement });
}

/** Pins the release to the present target, if it exists. */
export function pinned(input: Input, from: Release): Release {
  const { target } = input.event.facts;
  return target ? pinTo(target, from) : from;
}
