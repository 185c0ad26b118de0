import type { Moment } from './recorder.ts';
import type { Rehearsal } from './rehearsal.ts';

/** `caught`: the new version harms users and was not promoted; `held`: the release neither ended nor would end by itself. */
export type RehearsalVerdict = 'promoted' | 'caught' | 'rolledBack' | 'held' | 'notStarted';

export function verdictOf({ outcome, scenario }: Pick<Rehearsal, 'outcome' | 'scenario'>): RehearsalVerdict {
  switch (outcome) {
    case 'rolledBack':
      return scenario.expect === 'not-promoted' ? 'caught' : 'rolledBack';
    case 'unfinished':
      return 'held';
    case 'promoted':
    case 'notStarted':
      return outcome;
    default:
      return outcome satisfies never;
  }
}

export interface Times {
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

/** Checks that were out of range or unmeasured when they were judged for the last time. */
export function blamedChecks({ moments }: Rehearsal): string[] {
  const last = moments.findLast((moment) => moment.kind === 'checks');
  return last?.kind === 'checks'
    ? last.verdicts.filter(({ verdict, early }) => verdict !== 'passed' && !early).map(({ check }) => check)
    : [];
}

type Checked = Extract<Moment, { kind: 'checks' }>['verdicts'][number];
const isFailed = ({ verdict, observed }: Checked): boolean => verdict === 'failed' && !observed;
