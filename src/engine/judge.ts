import type { Analysis } from '../api/canary.ts';
import type { Verdict } from '../api/canary-status.ts';

export type Judgement = { outcome: 'passed' } | { outcome: 'failed' | 'hold'; reason: string };

/** Checks that a reason lists in full; an event and a condition have no room for more. */
const MOST_LISTED = 3;

/**
 * One judgement from all verdicts of a tick (rules E20–E22, I11). A measured failure always counts; what could not be measured
 * counts as `unmeasured` says and its reason never claims a bad measurement. What cannot be measured yet holds, whatever it says: that
 * ends by itself, one metric interval after the analysis began at the latest (E20a), or when its initial delay is over. What is only observed has no say.
 */
export function judge(all: readonly Verdict[], unmeasured: Analysis['unmeasured'] = 'fail'): Judgement {
  const verdicts = all.filter(({ observed }) => observed !== true);
  const failed = verdicts.filter((one) => one.verdict === 'failed');
  const unknown = verdicts.filter((one) => one.verdict === 'unmeasured' && one.early !== true);
  if (failed.length > 0) return { outcome: 'failed', reason: describeAll(unmeasured === 'hold' ? failed : [...failed, ...unknown]) };
  if (unknown.length > 0) return { outcome: unmeasured === 'hold' ? 'hold' : 'failed', reason: describeAll(unknown) };
  const early = verdicts.find((one) => one.verdict === 'unmeasured');
  return early ? { outcome: 'hold', reason: early.reason ?? `${early.check} cannot be measured yet` } : { outcome: 'passed' };
}

/** A check of the last tick could not be measured, and that does not end by itself. */
export function isUnmeasured({ verdicts = [] }: { verdicts?: readonly Verdict[] | undefined }): boolean {
  return verdicts.some(({ verdict, early, observed }) => verdict === 'unmeasured' && early !== true && observed !== true);
}

/** Failed checks that end a release; at least one. Source: 01-8.2. */
export function thresholdOf(analysis: Analysis): number {
  return analysis.threshold > 0 ? analysis.threshold : 1;
}

/** Describes what counts in this tick, the failed checks first (E20). */
function describeAll(verdicts: readonly Verdict[]): string {
  const more = verdicts.length - MOST_LISTED;
  return [...verdicts.slice(0, MOST_LISTED).map(describe), ...(more > 0 ? [`${more} more`] : [])].join('; ');
}

function describe(verdict: Verdict): string {
  if (verdict.verdict === 'unmeasured') return `${verdict.check} is unmeasured${verdict.reason ? `: ${verdict.reason}` : ''}`;
  // The reason is a whole sentence that names check, value and bound.
  if (verdict.reason) return verdict.reason;
  const seen = verdict.value === undefined ? 'is out of range' : `is ${verdict.value}`;
  return `${verdict.check} ${seen}${verdict.limit ? `, allowed ${verdict.limit}` : ''}`;
}
