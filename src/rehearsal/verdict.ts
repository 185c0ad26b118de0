import type { Moment } from './recorder.ts';
import type { Rehearsal } from './rehearsal.ts';

/** `caught`: a version that harms users was rolled back for it; `rolledBack`: for something else, as checks that were not measured; `held`: the release neither ended nor would end by itself. */
type RehearsalVerdict = 'promoted' | 'caught' | 'rolledBack' | 'held' | 'notStarted';

export function verdictOf(rehearsal: Pick<Rehearsal, 'outcome' | 'scenario' | 'moments'>): RehearsalVerdict {
  const { outcome, scenario } = rehearsal;
  switch (outcome) {
    case 'rolledBack':
      return scenario.expect === 'not-promoted' && !isUnmeasured(rehearsal) ? 'caught' : 'rolledBack';
    case 'unfinished':
      return 'held';
    case 'promoted':
    case 'notStarted':
      return outcome;
    default:
      return outcome satisfies never;
  }
}

interface Times {
  promoteMs?: number;
  /** First failed check, or the rollback where nothing failed before. */
  detectMs?: number;
  rollBackMs?: number;
}

/** From the push. */
export function timesOf({ moments, outcome, tookMs }: Rehearsal): Times {
  if (outcome === 'promoted') return { promoteMs: tookMs };
  const rollBack = moments.find((moment) => moment.kind === 'phase' && moment.phase === 'Failed');
  const failed = moments.find((moment) => moment.kind === 'checks' && moment.verdicts.some(isFailed));
  const detect = failed ?? rollBack;
  return { ...(detect && { detectMs: detect.atMs }), ...(rollBack && { rollBackMs: rollBack.atMs }) };
}

/** Checks that ended the release; of one that goes on, those that were out of range or unmeasured when they were judged for the last time. */
export function blamedChecks({ ending, moments }: Pick<Rehearsal, 'ending' | 'moments'>): string[] {
  if (ending) return ending.checks?.map(({ check }) => check) ?? (ending.metric === undefined ? [] : [ending.metric]);
  const last = moments.findLast((moment) => moment.kind === 'checks');
  return last?.kind === 'checks'
    ? last.verdicts.filter(({ verdict, early }) => verdict !== 'passed' && !early).map(({ check }) => check)
    : [];
}

/** Checks were made, and none of them could judge the version: a good one would have ended alike. */
function isUnmeasured({ moments }: Pick<Rehearsal, 'moments'>): boolean {
  const verdicts = moments.flatMap((moment) => (moment.kind === 'checks' ? moment.verdicts : []));
  return verdicts.length > 0 && verdicts.every(({ verdict }) => verdict === 'unmeasured');
}

type Checked = Extract<Moment, { kind: 'checks' }>['verdicts'][number];
const isFailed = ({ verdict, observed }: Checked): boolean => verdict === 'failed' && !observed;
