import type { Failing, Release } from '../api/canary-status.ts';
import type { Phase } from '../api/phase.ts';
import { failingText, type PodFailing, type PodFailings } from '../api/pod-failing.ts';
import type { Readiness } from '../api/readiness.ts';
import { isBeforeReady, isBeforeShare } from '../api/step.ts';
import type { Context } from './context.ts';
import { progressDeadlineMs } from './deadlines.ts';
import type { Facts } from './facts.ts';
import { thresholdOf } from './judge-checks.ts';
import { earliest } from './wakes.ts';

type FailingRelease = Pick<Release, 'failing' | 'step' | 'paused' | 'failedChecks'>;

const isAnalysed = (phase: string | undefined): boolean => phase === 'Progressing' || phase === 'WaitingPromotion';
const isReady = ({ target }: Facts): boolean => target?.serving === true && target.readiness.state === 'ready';

/** No failure of the canary counts now: the release is blocked or paused (E9, E71). */
const isHeld = ({ paused }: Pick<Release, 'paused'>, { blocker }: Facts): boolean => paused !== undefined || blocker !== undefined;

/**
 * The canary is not ready by its own fault. Watched pods show that themselves; otherwise it is a canary below its threshold in a step that does not raise it,
 * or a canary without any serving pod.
 */
function isUnready(release: Pick<Release, 'step'>, facts: Facts): boolean {
  if (isReady(facts)) return false;
  const { target } = facts;
  if (target?.failing) return target.failing.unready > 0;
  return target?.serving !== true || !isBeforeShare(release);
}

/** The canary has failed since the last count (rule E27a). */
export function hasFailedSince({ failing, step }: FailingRelease, facts: Facts): boolean {
  const pods = facts.target?.failing;
  if (failing === undefined || pods === undefined) return false;
  return pods.crashes > failing.crashes || pods.lost > failing.lost || isUnready({ step }, facts);
}

/** Time at which a failure that no check has counted is counted. */
export function countedAtMs({ failing }: FailingRelease, { intervalMs }: Facts): number {
  return (failing?.judgedMs ?? Number.POSITIVE_INFINITY) + intervalMs;
}

/** Time at which the unready time of the release reaches the progress deadline, if the canary does not change (rule E27b). */
export function unreadyUntilMs({ failing }: FailingRelease, { canary }: Facts): number | undefined {
  if (failing?.unreadySinceMs === undefined) return undefined;
  return failing.unreadySinceMs + progressDeadlineMs(canary) - failing.unreadyMs;
}

/** Time of the rollback of a canary that is waited for outside of its checks, if it does not change: by failed checks, or by its unready time. */
export function failsAtMs(release: FailingRelease, facts: Facts): number | undefined {
  const { failing, failedChecks, step } = release;
  const left = thresholdOf(facts.canary.spec.analysis) - failedChecks;
  const isCounted = failing !== undefined && facts.target?.failing !== undefined && isUnready({ step }, facts);
  const outMs = isCounted ? failing.judgedMs + Math.max(1, left) * facts.intervalMs : undefined;
  return earliest([outMs, unreadyUntilMs(release, facts)]);
}

/** Text of the last failure; undefined if pods are not watched, none has failed, or the reason for which the canary is not ready is the same. */
export function lastFailing({ failing }: FailingRelease, { target }: Facts): string | undefined {
  const last = target?.failing?.last ?? failing?.last;
  const problem = target?.readiness.state === 'ready' ? undefined : target?.failing?.problem;
  const isSame = last?.container !== undefined && last.pod === problem?.pod && last.container === problem.container;
  return isSame ? undefined : last && failingText(last);
}

/** The target with the failures of its pods. Its readiness also says which pod lacks what, unless a label or port of the target is the reason. */
export function withFailings(target: NonNullable<Facts['target']>, failing: PodFailings | undefined): NonNullable<Facts['target']> {
  if (failing === undefined) return target;
  return { ...target, failing, readiness: withProblem(target.readiness, failing.problem) };
}

/** A primary with the problem of its pods. */
export function withPrimaryProblem(primary: NonNullable<Facts['primary']>, problem: PodFailing | undefined): NonNullable<Facts['primary']> {
  if (problem === undefined || primary.readiness.state === 'ready') return primary;
  return { ...primary, problem, readiness: withProblem(primary.readiness, problem) };
}

function withProblem(readiness: Readiness, problem: PodFailing | undefined): Readiness {
  if (problem === undefined || readiness.state === 'ready' || readiness.field !== undefined) return readiness;
  return { ...readiness, reason: [readiness.reason, failingText(problem)].filter((one) => one !== undefined).join(': ') };
}

/** Text of the failure in this interval. */
export function failingOf(release: FailingRelease, facts: Facts): string {
  return lastFailing(release, facts) ?? facts.target?.readiness.reason ?? 'the canary is not ready';
}

/** An interval has been judged, and the failures of its pods until now are counted. */
export function withJudgedFailures(release: Release, facts: Facts): Release {
  const { failing } = release;
  if (failing === undefined) return release;
  return { ...release, failing: { ...withoutContainers(failing), ...countsOf(facts.target?.failing ?? failing), judgedMs: facts.nowMs } };
}

/** The same between two checks: intervals follow each other, also if one is counted late. */
export function counted(release: Release, facts: Facts): Release {
  const dueMs = countedAtMs(release, facts);
  const { failing } = withJudgedFailures(release, facts);
  if (failing === undefined) return release;
  return { ...release, failing: { ...failing, judgedMs: facts.nowMs < dueMs + facts.intervalMs ? dueMs : facts.nowMs } };
}

/** An interval without a failure. */
export function passedInterval(release: Release, facts: Facts): Release {
  return hasFailedSince(release, facts) ? release : withJudgedFailures(release, facts);
}

/** The release with its unready time up to this moment, before anything is decided; `isNew`: no controller was running for a while. */
export function timed(release: Release, phase: Phase | undefined, facts: Facts, isNew: boolean): Release {
  const { failing, paused } = release;
  if (failing === undefined || !isAnalysed(phase)) return release;
  const { unreadySinceMs } = failing;
  const isCounting = !isHeld(release, facts) && isUnready(release, facts);
  if (isCounting) return unreadySinceMs === undefined ? { ...release, failing: { ...failing, unreadySinceMs: facts.nowMs } } : release;
  // The time at which it became ready again is not known in that case.
  return closedAt(release, isNew ? (unreadySinceMs ?? facts.nowMs) : Math.min(facts.nowMs, paused?.sinceMs ?? facts.nowMs));
}

/** Counts the current unready time up to this moment and ends it. */
export function closedAt(release: Release, atMs: number): Release {
  const { failing } = release;
  if (failing?.unreadySinceMs === undefined) return release;
  const { unreadySinceMs, ...left } = failing;
  return { ...release, failing: { ...left, unreadyMs: left.unreadyMs + Math.max(0, atMs - unreadySinceMs) } };
}

/** Failures of the canary count from the time when it is first ready; earlier ones of its pods do not. */
export function followed(release: Release, [phase, step = '']: readonly string[], facts: Facts): Release {
  if (!isAnalysed(phase)) return closedAt(release, facts.nowMs);
  if (release.failing === undefined) {
    if (isBeforeReady({ step }) || !isReady(facts)) return release;
    const counts = countsOf(facts.target?.failing ?? { crashes: 0, lost: 0, ends: {} });
    return { ...release, failing: { ...counts, judgedMs: facts.nowMs, unreadyMs: 0 } };
  }
  const pods = facts.target?.failing;
  const { crashes, lost } = release.failing;
  // Ends that are not counted yet must not be taken for counted ones after a restart.
  if (pods === undefined || pods.crashes !== crashes || pods.lost !== lost) return release;
  return {
    ...release,
    failing: { ...withoutContainers(release.failing), ends: pods.ends, ...(pods.containers && { containers: pods.containers }) },
  };
}

/** Next time at which the engine must evaluate the failures of the canary. */
export function failingDueMs({ release, frozen }: Context, [phase]: readonly string[], facts: Facts): number | undefined {
  if (frozen || !isAnalysed(phase) || isHeld(release, facts)) return undefined;
  return earliest([hasFailedSince(release, facts) ? countedAtMs(release, facts) : undefined, unreadyUntilMs(release, facts)]);
}

/** Counts by container are replaced together with the ends. */
function withoutContainers({ containers: _, ...failing }: Failing): Failing {
  return failing;
}

function countsOf({
  crashes,
  lost,
  ends,
  containers,
  last,
}: Pick<Failing, 'crashes' | 'lost' | 'ends' | 'containers' | 'last'>): Omit<Failing, 'judgedMs' | 'unreadyMs'> {
  return { crashes, lost, ends, ...(containers && { containers }), ...(last && { last }) };
}
