import type { Release } from '../api/canary-status.ts';
import type { Context } from './context.ts';
import { giveUpDeliveries, withoutDelivery } from './deliveries.ts';
import { closedAt } from './failing.ts';
import { having, type Passage } from './passage.ts';
import type { Question } from './questions.ts';
import { refuseFrozen } from './requests.ts';
import { lapseOf } from './wakes.ts';

/**
 * Suspended or being deleted: nothing of the release moves. A suspended Canary only removes a delivered message, or a message whose time is over, from its list
 * (E54), since a restart would send it again, and refuses requests (E70). Undefined for any other Canary.
 */
export function freeze(passage: Passage): Passage | undefined {
  const { event, now } = passage;
  const { facts } = event;
  const { spec, metadata } = facts.canary;
  const isDeleted = metadata.deletionTimestamp !== undefined;
  if (spec.suspend !== true && !isDeleted) return undefined;
  const delivered = event.type === 'DELIVERED' ? withoutDelivery(now.context, event.key) : now.context;
  const release = closedAt(delivered.release, facts.nowMs);
  const frozen = { ...delivered, release, frozen: true, open: undefined, rollback: undefined, comparing: undefined, asks: [] };
  // The status of a Canary that is being deleted goes with it.
  if (isDeleted) return having(passage, frozen);
  return withWake(withRecord(having(passage, refuseFrozen(giveUpDeliveries(frozen, facts), facts))));
}

/** Records the messages that have left the list, and the outcome of a request. */
function withRecord(passage: Passage): Passage {
  const { recorded, release, asks } = passage.now.context;
  if (recorded === undefined || !isNews(recorded.release, release)) return passage;
  const { phase } = recorded;
  const { context, id } = counted(passage.now.context);
  const record: Question = { kind: 'record', id, phase, release };
  return { ...having(passage, { ...context, asks: [], recorded: { phase, release } }), questions: [record, ...asks] };
}

const isNews = (before: Release, after: Release): boolean =>
  before.requests?.at(-1)?.id !== after.requests?.at(-1)?.id || (before.deliveries ?? []).length !== (after.deliveries ?? []).length;

/** Only the end of a message's time is waited for. */
function withWake(passage: Passage): Passage {
  const { event, now } = passage;
  const atMs = lapseOf(now.context.release);
  const isDue = atMs !== undefined && (atMs !== now.context.askedWakeMs || event.type === 'RESUME' || event.type === 'WAKE');
  if (!isDue) return passage;
  const { context, id } = counted(now.context);
  const question: Question = { kind: 'wakeAt', id, atMs };
  return { ...having(passage, { ...context, askedWakeMs: atMs }), questions: [...passage.questions, question] };
}

function counted(context: Context): { context: Context; id: string } {
  const attempt = context.attempt + 1;
  const { run, revision } = context.release;
  return { context: { ...context, attempt }, id: `${run}/${revision}/${attempt}` };
}
