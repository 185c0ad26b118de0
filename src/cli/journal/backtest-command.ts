import { suppose } from '../../engine/journal/suppose.ts';
import { listCanaries } from '../../reading/canary-reading.ts';
import { outputVersion } from '../../reading/documents/output-version.ts';
import { canaryIdentity, type Journal, readJournals } from '../../reading/journals/read-journals.ts';
import type { ReadSession } from '../canaries/session.ts';
import { CommandError, type ExitName, usageError } from '../output/exit-codes.ts';
import type { Backtest, SupposedRelease } from '../output/journal-documents.ts';
import type { CommandAnswer } from '../output/output.ts';
import { textTable } from '../output/text-table.ts';
import { type ReplayFlags, releaseOutcomeWords, supposedOf } from './replay-command.ts';
import { analysisChange, supposedAnalysis } from './supposed-analysis.ts';

/** Flags of `serin backtest`. */
export interface BacktestFlags extends ReplayFlags {
  selector?: string;
}

/** `serin backtest --with …`: the outcome of every recorded release under a changed analysis. */
export async function backtestCommand({ cluster, namespace = '', output }: ReadSession, flags: BacktestFlags): Promise<ExitName> {
  const change = await analysisChange(flags);
  if (change === undefined) throw usageError('the changed analysis is missing: give --with or --with-file');
  const items: SupposedRelease[] = [];
  for (const canary of await listCanaries(cluster, namespace, flags.selector)) {
    const journals = await readJournals(cluster, canaryIdentity(canary));
    for (const journal of journals.toReversed()) items.push(tested(journal, () => suppose(journal.parts, supposedAnalysis(change))));
  }
  const count = (outcome: SupposedRelease['outcome']) => items.filter((one) => one.outcome === outcome).length;
  const [same, differs, unknown] = [count('same'), count('differs'), count('unknown')];
  await output.show(backtestAnswer({ apiVersion: outputVersion, kind: 'Backtest', namespace, same, differs, unknown, items }));
  output.note(
    `${same} the same, ${differs} otherwise, ${unknown} not known. After a first difference values are those of the recorded weights.`,
  );
  return differs > 0 ? 'no' : unknown > 0 ? 'unanswered' : 'done';
}

/** One release that cannot be judged does not keep the others from it; the change itself is checked with each spec. */
function tested(journal: Journal, run: () => ReturnType<typeof suppose>): SupposedRelease {
  const { namespace, name, run: release, problems } = journal;
  const [problem] = problems;
  if (problem !== undefined) return { namespace, name, release, outcome: 'unknown', unknown: problem };
  try {
    return supposedOf(journal, run());
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { namespace, name, release, outcome: 'unknown', unknown: error.message };
  }
}

function backtestAnswer(backtest: Backtest): CommandAnswer<Backtest> {
  return {
    document: backtest,
    names: backtest.items.map(({ name, release }) => `${name}/${release}`),
    lines: (terminal) => {
      const rows = backtest.items.map(({ name, release, began = '-', recorded, outcome, supposed, unknown }) => [
        name,
        String(release),
        began.slice(0, 19),
        recorded ? releaseOutcomeWords[recorded.verdict] : 'unknown',
        outcome === 'unknown' ? 'unknown' : supposed ? releaseOutcomeWords[supposed.verdict] : '-',
        supposed?.at.slice(11, 19) ?? '-',
        unknown ?? (outcome === 'same' ? '' : (supposed?.reason ?? '')),
      ]);
      if (rows.length === 0) return [];
      return textTable(['CANARY', 'RELEASE', 'BEGAN', 'RECORDED', 'WITH', 'AT', 'WHY'], rows, terminal, { sentence: true });
    },
  };
}
