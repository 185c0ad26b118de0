import type { Facts } from '../../engine/facts.ts';
import { openQuestionsOf, releaseOf, type Snapshot } from '../../engine/machine.ts';
import type { EngineEvent } from '../../engine/questions.ts';

/** A message for one Canary, besides changes of the cluster. */
export type CanaryMessage =
  | { type: 'WAKE' }
  | { type: 'DELIVERED'; key: string }
  | { type: 'ANSWER'; answer: Extract<EngineEvent, { type: 'ANSWER' }>['answer'] };

/**
 * The engine's events of one reconcile. A message that no longer concerns the release is left out: the chart would not look at the facts with it, and a
 * simultaneous change in the cluster would wait for the next event.
 */
export function engineEvents(messages: readonly CanaryMessage[], now: Snapshot, facts: Facts): EngineEvent[] {
  const events = messages.filter((message) => isNews(message, now)).map((message): EngineEvent => ({ ...message, facts }));
  return events.length === 0 ? [{ type: 'FACTS', facts }] : events;
}

function isNews(message: CanaryMessage, now: Snapshot): boolean {
  switch (message.type) {
    case 'WAKE':
      return true;
    case 'ANSWER':
      return openQuestionsOf(now).includes(message.answer.id);
    case 'DELIVERED':
      return releaseOf(now).deliveries?.some(({ key }) => key === message.key) === true;
  }
}
