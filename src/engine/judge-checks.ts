import type { Analysis } from '../api/canary.ts';
import type { Verdict } from '../api/canary-status.ts';
import { remedyOf } from '../api/codes/codes.ts';
import { requestsText } from '../api/routed-text.ts';
import { oncePerObject } from '../base/once.ts';

export type ChecksJudgement = { outcome: 'passed' } | { outcome: 'failed' | 'hold'; reason: string };

/** The checks of one interval by their effect; observed metrics are left out. */
interface JudgedChecks {
  /** Failed checks: measured failures first, then unmeasured ones, unless those hold. */
  failed: readonly Verdict[];
  /** Checks that could not be measured, and for which waiting does not help. */
  unmeasured: readonly Verdict[];
  /** The failed and the unmeasured checks, in the order of the spec. */
  decisive: readonly Verdict[];
  judgement: ChecksJudgement;
}

/** Number of checks that a reason lists in full; an event and a condition have no room for more. */
const MOST_LISTED = 3;

const judgedBy = {
  fail: oncePerObject((verdicts: readonly Verdict[]) => judgedChecks(verdicts, false)),
  hold: oncePerObject((verdicts: readonly Verdict[]) => judgedChecks(verdicts, true)),
};

/**
 * The verdicts of an interval, judged once (rules E20–E22, I11) for counters, limits, reasons and alerts. A measured failure always counts. A check that could
 * not be measured counts as `unmeasured` says, and its reason never claims a bad measurement. A check that cannot be measured yet holds with any `unmeasured`:
 * that ends by itself, at the latest one metric interval after the analysis began (E20a), or when its initial delay is over. An observed metric has no effect.
 */
export const judgeChecks = (verdicts: readonly Verdict[], unmeasured: Analysis['unmeasured'] = 'fail'): JudgedChecks =>
  judgedBy[unmeasured](verdicts);

/** One judgement from all verdicts of an interval. */
export const judgementOfChecks = (verdicts: readonly Verdict[], unmeasured?: Analysis['unmeasured']): ChecksJudgement =>
  judgeChecks(verdicts, unmeasured).judgement;

function judgedChecks(all: readonly Verdict[], holds: boolean): JudgedChecks {
  const verdicts = all.filter(({ observed }) => observed !== true);
  const decisive = verdicts.filter((one) => one.verdict === 'failed' || (one.verdict === 'unmeasured' && one.early !== true));
  const unmeasured = decisive.filter(({ verdict }) => verdict === 'unmeasured');
  const failed = [...decisive.filter(({ verdict }) => verdict === 'failed'), ...(holds ? [] : unmeasured)];
  const early = verdicts.find((one) => one.verdict === 'unmeasured' && one.early === true);
  return { failed, unmeasured, decisive, judgement: judgementOf(failed, unmeasured, early) };
}

function judgementOf(failed: readonly Verdict[], unmeasured: readonly Verdict[], early: Verdict | undefined): ChecksJudgement {
  if (failed.length > 0) return { outcome: 'failed', reason: describeAll(failed) };
  if (unmeasured.length > 0) return { outcome: 'hold', reason: describeAll(unmeasured) };
  return early ? { outcome: 'hold', reason: early.reason ?? `${early.check} cannot be measured yet` } : { outcome: 'passed' };
}

/** A check of the last interval could not be measured, and waiting does not help. */
export const isUnmeasured = ({ verdicts = NONE }: { verdicts?: readonly Verdict[] | undefined }): boolean =>
  judgeChecks(verdicts).unmeasured.length > 0;

/** Remedy for the first check that cannot be measured; undefined if every check was measured. */
export function unmeasuredRemedy({ verdicts = NONE }: { verdicts?: readonly Verdict[] | undefined }): string | undefined {
  const [first] = judgeChecks(verdicts, 'hold').unmeasured;
  // The detail is part of the sentence before it.
  return first && remedyOf(first.code ?? 'Unmeasured', { metric: first.check, object: first.object, field: first.field });
}

const NONE: readonly Verdict[] = [];

/** Failed checks that end a release; at least one. */
export function thresholdOf(analysis: Analysis): number {
  return analysis.threshold > 0 ? analysis.threshold : 1;
}

/** Number of requests with which the checks of the last interval passed, as the end of a sentence; empty if none were counted. */
export function passedBy({ verdicts = NONE }: { verdicts?: readonly Verdict[] | undefined }): string {
  const counted = verdicts.flatMap(({ check, verdict, requests, observed }) =>
    verdict === 'passed' && requests !== undefined && observed !== true ? [`${check}${byRequests({ requests })}`] : [],
  );
  return counted.length === 0 ? '' : `; passed: ${listed(counted, ', ')}`;
}

/** Describes the checks that count in this interval, the failed ones first (E20). */
const describeAll = (verdicts: readonly Verdict[]): string => listed(verdicts.map(describe), '; ');

function listed(texts: readonly string[], between: string): string {
  const more = texts.length - MOST_LISTED;
  return [...texts.slice(0, MOST_LISTED), ...(more > 0 ? [`${more} more`] : [])].join(between);
}

/** A value without its number of requests hides how little evidence it has. */
const byRequests = ({ requests }: Pick<Verdict, 'requests'>): string => (requests === undefined ? '' : ` (${requestsText(requests)})`);

function describe(verdict: Verdict): string {
  if (verdict.verdict === 'unmeasured') return `${verdict.check} is unmeasured${verdict.reason ? `: ${verdict.reason}` : ''}`;
  // The reason is a whole sentence that names check, value and bound. Only a status that was edited by hand lacks it.
  return `${verdict.reason || verdict.check}${byRequests(verdict)}`;
}
