import { requestsText } from '../../api/requests-text.ts';
import { preciseTimestamp } from '../../base/timestamp.ts';
import type { JournalAnswer, JournalPart } from '../../engine/journal/journal-part.ts';
import { entriesOf, type NotedEntry } from '../../engine/journal/replay.ts';
import { getCanary } from '../canaries/canary-reading.ts';
import { shortRevision } from '../canaries/status-screen.ts';
import { evidenceLines } from '../output/evidence-lines.ts';
import { type ExitName, usageError } from '../output/exit-codes.ts';
import type { JournalDocument, JournalList } from '../output/journal-documents.ts';
import type { CommandAnswer } from '../output/output.ts';
import { outputVersion } from '../output/output-version.ts';
import { textTable } from '../output/text-table.ts';
import { evidencePoints } from './evidence-points.ts';
import { identityOf, type Journal, type JournalSession, readJournals, readOneJournal } from './read-journals.ts';

/** `serin history NAME --journal[=RELEASE]`: the journals that are kept, or all of one. */
export async function journalCommand(
  { cluster, namespace = '', output }: JournalSession,
  name: string,
  release: string | true,
): Promise<ExitName> {
  if (release !== true && !/^\d{1,9}$/.test(release))
    throw usageError(`--journal=${release} is not the number of a release: see serin history ${name} --journal`);
  const canary = identityOf(await getCanary(cluster, namespace, name));
  if (release === true) {
    const journals = await readJournals(cluster, canary);
    await output.show(listAnswer(listOf(canary, journals)));
    if (journals.length === 0) output.note('No journal found: nothing was released yet, or --journal-limit of the controller is 0.');
    return 'done';
  }
  await output.show(journalAnswer(await readOneJournal(cluster, canary, Number(release))));
  return 'done';
}

/** The document of `serin history --journal`. */
export function listOf({ namespace, name }: { namespace: string; name: string }, journals: readonly Journal[]): JournalList {
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

/** As they are shown: a poll is two. */
const stepsIn = ({ segments }: JournalPart): number =>
  segments.flatMap(({ entries }) => entries).reduce((sum, { polls = [] }) => sum + 1 + 2 * polls.length, 0);

/** The document of `serin history --journal=RELEASE`. */
export function documentOf({ namespace, name, run, parts }: Journal): JournalDocument {
  return { apiVersion: outputVersion, kind: 'Journal', namespace, name, release: run, parts: [...parts] };
}

function listAnswer(list: JournalList): CommandAnswer<JournalList> {
  return {
    document: list,
    names: list.items.map(({ release }) => `${list.name}/${release}`),
    lines: (terminal) => {
      const rows = list.items.map(({ release, revision = '', began = '-', outcome = 'unfinished', steps, bytes, problems }) => [
        String(release),
        shortRevision(revision),
        began.slice(0, 19),
        problems[0] === undefined ? outcome : 'unusable',
        String(steps),
        String(bytes),
        problems[0] ?? '',
      ]);
      if (rows.length === 0) return [];
      return textTable(['RELEASE', 'REVISION', 'BEGAN', 'OUTCOME', 'STEPS', 'BYTES', 'PROBLEM'], rows, terminal, { sentence: true });
    },
  };
}

function journalAnswer(journal: Journal): CommandAnswer<JournalDocument> {
  return {
    document: documentOf(journal),
    names: [`${journal.name}/${journal.run}`],
    lines: (terminal) => {
      const rows = [...entriesOf(journal.parts)].map((noted) => {
        if ('unfit' in noted) return ['', '', '', '', noted.unfit];
        const { entry, facts } = noted;
        const { state, weight, failedChecks } = entry.decided;
        const at = preciseTimestamp(facts.nowMs).slice(0, 23);
        return [at, `${weight}%`, String(failedChecks), state, entryWords(entry)];
      });
      return [
        ...textTable(['AT', 'CANARY', 'FAILED', 'STATE', 'SEEN AND DONE'], rows, terminal, { sentence: true }),
        ...evidenceLines(evidencePoints(journal.parts), terminal),
      ];
    },
  };
}

/** What one step saw and did. */
export function entryWords({ event, answer, key, decided, writes = [] }: NotedEntry): string {
  const seen = answer ? answerWords(answer) : key === undefined ? event.toLowerCase() : `delivered ${key}`;
  const asks = decided.asks.filter((ask) => ask !== 'record' && !ask.startsWith('wakeAt'));
  return [seen, ...asks.map((ask) => `-> ${ask}`), ...writes.map((write) => `wrote: ${write}`)].join('; ');
}

function answerWords(answer: JournalAnswer): string {
  switch (answer.kind) {
    case 'measure':
      return answer.verdicts
        .map(
          ({ check, verdict, value, requests, limit }) =>
            `${check} ${verdict}${value === undefined ? '' : ` at ${value}`}${requests === undefined ? '' : ` by ${requestsText(requests)}`}${limit ? ` (${limit})` : ''}`,
        )
        .join(', ');
    case 'runHooks':
      return `${answer.type || 'rollout'} ${answer.outcome}${(answer.calls ?? []).map(({ webhook, status }) => ` ${webhook}: ${status ?? 'no answer'}`).join(',')}`;
    case 'compare':
      return `counts of both sides: ${answer.compared.map((one) => `${one.metric} ${one.kind}`).join(', ')}`;
    default:
      return `${answer.kind} ${answer.outcome}`;
  }
}
