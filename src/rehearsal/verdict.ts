import type { Moment } from './recorder.ts';
import type { Rehearsal } from './rehearsal.ts';

/**
 * `caught`: a version that harms users was rolled back because of the harm; `rolledBack`: for another reason, as checks that were not measured; `held`: the
 * release neither ended nor would end by itself.
 */
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
  /** Time of the first failed check, or of the rollback if no check failed before it. */
  detectMs?: number;
  rollBackMs?: number;
}

/** Times since the push. */
export function timesOf({ moments, outcome, tookMs }: Rehearsal): Times {
  if (outcome === 'promoted') return { promoteMs: tookMs };
  const rollBack = moments.find((moment) => moment.kind === 'phase' && moment.phase === 'Failed');
  const failed = moments.find((moment) => moment.kind === 'checks' && moment.verdicts.some(isFailed));
  const detect = failed ?? rollBack;
  return { ...(detect && { detectMs: detect.atMs }), ...(rollBack && { rollBackMs: rollBack.atMs }) };
}

/** Checks that ended the release. For a release that has not ended: checks that were out of range or unmeasured at the last judgement. */
export function blamedChecks({ ending, moments }: Pick<Rehearsal, 'ending' | 'moments'>): string[] {
  if (ending) return ending.checks?.map(({ check }) => check) ?? (ending.metric === undefined ? [] : [ending.metric]);
  const last = moments.findLast((moment) => moment.kind === 'checks');
  return last?.kind === 'checks'
    ? last.verdicts.filter(({ verdict, early }) => verdict !== 'passed' && !early).map(({ check }) => check)
    : [];
}

/** Checks were made, and none of them could judge the version: a good version would have had the same end. */
function isUnmeasured({ moments }: Pick<Rehearsal, 'moments'>): boolean {
  const verdicts = moments.flatMap((moment) => (moment.kind === 'checks' ? moment.verdicts : []));
  return verdicts.length > 0 && verdicts.every(({ verdict }) => verdict === 'unmeasured');
}

type Checked = Extract<Moment, { kind: 'checks' }>['verdicts'][number];
const isFailed = ({ verdict, observed }: Checked): boolean => verdict === 'failed' && !observed;
