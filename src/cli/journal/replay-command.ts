import { preciseTimestamp } from '../../base/timestamp.ts';
import { version } from '../../base/version.ts';
import { isSame, replay } from '../../engine/journal/replay.ts';
import type { StepSummary } from '../../engine/journal/step-summary.ts';
import { type Supposed, suppose } from '../../engine/journal/suppose.ts';
import { getCanary } from '../../reading/canary-reading.ts';
import { outputVersion } from '../../reading/documents/output-version.ts';
import { canaryIdentity, type Journal, readOneJournal } from '../../reading/journals/read-journals.ts';
import type { ReadSession } from '../canaries/session.ts';
import { type CommandError, type ExitName, usageError } from '../output/exit-codes.ts';
import type { ReplayResult, SupposedRelease, Supposition } from '../output/journal-documents.ts';
import type { CommandAnswer, Output } from '../output/output.ts';
import { analysisChange, supposedAnalysis } from './supposed-analysis.ts';

/** Flags of `serin replay`. */
export interface ReplayFlags {
  with?: string;
  withFile?: string;
}

const exits: Readonly<Record<ReplayResult['outcome'], ExitName>> = { same: 'done', differs: 'no', unknown: 'unanswered' };

/** `serin replay NAME[/RELEASE]`: a journal of the cluster. */
export async function replayCommand(
  session: ReadSession,
  name: string,
  release: number | undefined,
  flags: ReplayFlags,
): Promise<ExitName> {
  const { cluster, namespace = '', output } = session;
  const change = await analysisChange(flags);
  const canary = canaryIdentity(await getCanary(cluster, namespace, name));
  return replayed(await readOneJournal(cluster, canary, release), change, output);
}

/** `serin replay -f FILE`: without a cluster. */
export async function replayFileCommand(output: Output, file: string, flags: ReplayFlags): Promise<ExitName> {
  const change = await analysisChange(flags);
  const { readJournalFile } = await import('./journal-file.ts');
  return replayed(await readJournalFile(file), change, output);
}

async function replayed(journal: Journal, change: Awaited<ReturnType<typeof analysisChange>>, output: Output): Promise<ExitName> {
  if (change === undefined) {
    const result = replayOf(journal);
    await output.show(replayAnswer(result));
    return exits[result.outcome];
  }
  const result = {
    apiVersion: outputVersion,
    kind: 'Supposition',
    ...supposedOf(journal, suppose(journal.parts, supposedAnalysis(change))),
  } as const;
  await output.show(suppositionAnswer(result));
  return exits[result.outcome];
}

/** With the first difference, if there is one: all later differences can follow from it. */
export function replayOf({ namespace, name, run, parts }: Journal): ReplayResult {
  const head = {
    ...({ apiVersion: outputVersion, kind: 'ReplayResult', namespace, name, release: run } as const),
    recordedBy: [...new Set(parts.map(({ engine }) => engine))],
    replayedBy: version,
  };
  let steps = 0;
  for (const one of replay(parts)) {
    if ('unfit' in one) return { ...head, outcome: 'unknown', steps, unknown: one.unfit };
    steps += 1;
    if (isSame(one)) continue;
    const { recorded, decided, entry, facts, part } = one;
    const cause = part.engine === version ? 'editedJournal' : 'engineVersion';
    const difference = {
      at: preciseTimestamp(facts.nowMs),
      step: steps,
      event: entry.event,
      cause,
      recorded: reportOf(recorded),
      decided: reportOf(decided),
    } as const;
    return { ...head, outcome: 'differs', steps, difference };
  }
  return { ...head, outcome: steps === 0 ? 'unknown' : 'same', steps, ...(steps === 0 && { unknown: 'the journal holds no step' }) };
}

const reportOf = ({ asks, ...decision }: StepSummary): StepSummary & { asks: string[] } => ({ ...decision, asks: [...asks] });

/** The outcome of one release under a changed analysis. */
export function supposedOf({ namespace, name, run, parts }: Journal, { recorded, first, end, isIncomplete }: Supposed): SupposedRelease {
  const began = parts[0];
  const head = {
    ...{ namespace, name, release: run },
    ...(began && { began: preciseTimestamp(began.beganMs) }),
    ...(recorded && { recorded: { verdict: recorded.verdict, at: preciseTimestamp(recorded.atMs) } }),
    ...(first && {
      firstDifference: { at: preciseTimestamp(first.atMs), recorded: reportOf(first.recorded), decided: reportOf(first.decided) },
    }),
  };
  if ('unknown' in end) return { ...head, outcome: 'unknown', unknown: `from ${preciseTimestamp(end.atMs)} on: ${end.unknown}` };
  const { atMs, ...rest } = end;
  const supposed = { ...rest, at: preciseTimestamp(atMs) };
  if (recorded?.verdict !== end.verdict) return { ...head, outcome: 'differs', supposed };
  // The missing step could have made the difference.
  if (isIncomplete)
    return {
      ...head,
      outcome: 'unknown',
      supposed,
      unknown: 'steps of the release were not stored; in the stored steps it decides the same',
    };
  return { ...head, outcome: 'same', supposed };
}

/** Verdicts in words. */
export const releaseOutcomeWords = { promoted: 'promoted', rolledBack: 'rolled back', cancelled: 'cancelled' } as const;

function decisionWords({ state, routes, weight, failedChecks, iterations, asks }: StepSummary): string {
  return `${state}, ${routes} ${weight}%, ${failedChecks} failed checks, ${iterations} iterations; then ${asks.join(', ') || 'waits'}`;
}

const nameOf = ({ namespace, name, release }: { namespace: string; name: string; release: number }) =>
  `${namespace}/${name} release ${release}`;

function replayAnswer(result: ReplayResult): CommandAnswer<ReplayResult> {
  const { outcome, steps, recordedBy, replayedBy, difference, unknown } = result;
  const by = `recorded by Serin ${recordedBy.join(', ')}, replayed by Serin ${replayedBy}`;
  const words = {
    same: () => [`${nameOf(result)}: the same decisions in all ${steps} steps (${by})`],
    unknown: () => [`${nameOf(result)}: cannot be replayed beyond ${steps} steps: ${unknown} (${by})`],
    differs: () => [
      `${nameOf(result)}: another decision at step ${difference?.step}, ${difference?.at}, event ${difference?.event} (${by})`,
      `  recorded: ${difference ? decisionWords(difference.recorded) : ''}`,
      `  replayed: ${difference ? decisionWords(difference.decided) : ''}`,
      difference?.cause === 'engineVersion'
        ? '  Another version of Serin recorded it: see CHANGELOG.md for what changed since.'
        : '  The same version recorded it: the journal was edited, or this is a bug in Serin. Please report it, with what `serin report` gathers.',
    ],
  };
  return { document: result, names: [`${result.name}/${result.release}`], lines: () => words[outcome]() };
}

function suppositionAnswer(result: Supposition): CommandAnswer<Supposition> {
  const { recorded, supposed, firstDifference, unknown, outcome } = result;
  return {
    document: result,
    names: [`${result.name}/${result.release}`],
    lines: () => [
      `${nameOf(result)} was ${recorded ? `${releaseOutcomeWords[recorded.verdict]} at ${recorded.at}` : 'not decided in its journal'}`,
      supposed
        ? `  with the change: ${releaseOutcomeWords[supposed.verdict]} at ${supposed.at}, with ${supposed.weight}% on the canary and ${supposed.failedChecks} failed checks${supposed.reason ? `: ${supposed.reason}` : ''}`
        : '  with the change: not known',
      ...(unknown ? [`  The journal cannot know it ${unknown}`] : []),
      ...(firstDifference
        ? [
            `  first difference: ${firstDifference.at}`,
            `    recorded: ${decisionWords(firstDifference.recorded)}`,
            `    changed:  ${decisionWords(firstDifference.decided)}`,
            '  Values after the first difference were measured under the recorded weights.',
          ]
        : outcome === 'same'
          ? ['  every step decides the same']
          : []),
    ],
  };
}

/** `NAME/RELEASE`: the number after the last slash, and the text before it. */
export function splitRelease(text: string): { canary: string; release?: number } {
  const found = /^(.+)\/(\d{1,9})$/.exec(text);
  return found?.[1] === undefined ? { canary: text } : { canary: found[1], release: Number(found[2]) };
}

/** The error for `serin replay` without a name and a file. */
export function noNameError(): CommandError {
  return usageError('name the release to replay: NAME or NAME/RELEASE of a Canary, or a journal with -f FILE');
}
