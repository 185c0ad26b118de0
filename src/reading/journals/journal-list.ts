import { preciseTimestamp } from '../../base/timestamp.ts';
import type { JournalPart } from '../../engine/journal/journal-part.ts';
import type { JournalList } from '../documents/journal-list.ts';
import { outputVersion } from '../documents/output-version.ts';
import type { Journal } from './read-journals.ts';

/** The journals that are kept, as a document. */
export function journalList({ namespace, name }: { namespace: string; name: string }, journals: readonly Journal[]): JournalList {
  const items = journals.map(({ run, parts, bytes, problems }) => {
    const [first, last] = [parts[0], parts.at(-1)];
    return {
      release: run,
      ...(last && { revision: last.revision, ended: preciseTimestamp(last.endedMs) }),
      ...(first && { began: preciseTimestamp(first.beganMs) }),
      ...(last?.ended && { outcome: last.ended }),
      engines: [...new Set(parts.map(({ engine }) => engine))],
      steps: parts.reduce((sum, part) => sum + stepsIn(part), 0),
      records: parts.length + problems.length,
      bytes,
      problems: [...problems],
    };
  });
  return { apiVersion: outputVersion, kind: 'JournalList', namespace, name, items };
}

/** Number of steps as shown: a poll is two. */
const stepsIn = ({ segments }: JournalPart): number =>
  segments.flatMap(({ entries }) => entries).reduce((sum, { polls = [] }) => sum + 1 + 2 * polls.length, 0);
