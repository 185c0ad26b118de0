import { preciseTimestamp } from '../../base/timestamp.ts';
import { journalEntries } from '../../engine/journal/replay.ts';
import { getCanary } from '../../reading/canary-reading.ts';
import type { JournalList } from '../../reading/documents/journal-list.ts';
import { outputVersion } from '../../reading/documents/output-version.ts';
import { entryWords } from '../../reading/journals/entry-words.ts';
import { journalList } from '../../reading/journals/journal-list.ts';
import { canaryIdentity, evidencePoints, type Journal, readJournals, readOneJournal } from '../../reading/journals/read-journals.ts';
import type { ReadSession } from '../canaries/session.ts';
import { shortRevision } from '../canaries/status-screen.ts';
import { evidenceLines } from '../output/evidence-lines.ts';
import { type ExitName, usageError } from '../output/exit-codes.ts';
import type { JournalDocument } from '../output/journal-documents.ts';
import type { CommandAnswer } from '../output/output.ts';
import { textTable } from '../output/text-table.ts';

/** `serin history NAME --journal[=RELEASE]`: the journals that are kept, or all of one. */
export async function journalCommand(
  { cluster, namespace = '', output }: ReadSession,
  name: string,
  release: string | true,
): Promise<ExitName> {
  if (release !== true && !/^\d{1,9}$/.test(release))
    throw usageError(`--journal=${release} is not the number of a release: see serin history ${name} --journal`);
  const canary = canaryIdentity(await getCanary(cluster, namespace, name));
  if (release === true) {
    const journals = await readJournals(cluster, canary);
    await output.show(listAnswer(journalList(canary, journals)));
    if (journals.length === 0) output.note('No journal found: nothing was released yet, or --journal-limit of the controller is 0.');
    return 'done';
  }
  await output.show(journalAnswer(await readOneJournal(cluster, canary, Number(release))));
  return 'done';
}

/** The document of `serin history --journal=RELEASE`. */
export function journalDocument({ namespace, name, run, parts }: Journal): JournalDocument {
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
    document: journalDocument(journal),
    names: [`${journal.name}/${journal.run}`],
    lines: (terminal) => {
      const rows = [...journalEntries(journal.parts)].map((noted) => {
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
