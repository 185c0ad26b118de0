import type { Facts } from '../../engine/facts.ts';
import { openQuestionsOf, releaseOf, type Snapshot } from '../../engine/machine.ts';
import type { EngineEvent } from '../../engine/questions.ts';

/** What came in for one Canary, besides changes of the cluster. */
export type Letter =
  | { type: 'WAKE' }
  | { type: 'DELIVERED'; key: string }
  | { type: 'ANSWER'; answer: Extract<EngineEvent, { type: 'ANSWER' }>['answer'] };

/**
 * What the chart is told in one pass. A letter that is about nothing any more is left out: the chart would not look at the facts with it,
 * and what has changed in the cluster at the same moment would wait for whatever comes next.
 */
export function eventsOfPass(letters: readonly Letter[], now: Snapshot, facts: Facts): EngineEvent[] {
  const events = letters.filter((letter) => isNews(letter, now)).map((letter): EngineEvent => ({ ...letter, facts }));
  return events.length === 0 ? [{ type: 'FACTS', facts }] : events;
}

function isNews(letter: Letter, now: Snapshot): boolean {
  switch (letter.type) {
    case 'WAKE':
      return true;
    case 'ANSWER':
      return openQuestionsOf(now).includes(letter.answer.id);
    case 'DELIVERED':
      return releaseOf(now).deliveries?.some(({ key }) => key === letter.key) === true;
  }
}
