import { blockerText } from '../api/blocker-text.ts';
import type { Canary } from '../api/canary.ts';
import type { Release } from '../api/canary-status.ts';
import { type Ending, endingClause, endingOf, endingRemedy, endings } from '../api/ending.ts';
import { isReleasing, type Phase } from '../api/phase.ts';
import { timestamp } from '../api/timestamp.ts';
import { awaitedRoutes } from './blockers-of.ts';
import { evidenceUntilMs } from './comparison/harm.ts';
import { longestRaiseMs, progressDeadlineMs, rolloutDeadlineMs, settlingMs, unmeasuredUntilMs } from './deadlines.ts';
import { dueMs, isKept, isPrimaryAwaited, isReady } from './due.ts';
import type { Facts, Side } from './facts.ts';
import { lastFailing, unreadyUntilMs } from './failing.ts';
import { thresholdOf } from './judge.ts';
import { weightOf } from './strategy.ts';

/** One sentence: what this Canary waits for, since when, until when, and who can unblock it. */
export function explain(canary: Canary, facts: Facts): string {
  const { status } = canary;
  if (!status?.release) return 'Not started yet. Waiting for the controller to see the target.';
  return explainRelease(canary, status.phase, status.release, facts);
}

/** The same for a phase and release that are about to be recorded. Times are absolute, so that the sentence stays the same. */
export function explainRelease(canary: Canary, phase: Phase, release: Release, facts: Facts): string {
  if (canary.spec.suspend === true) {
    const where = `${phase} with ${weightOf(release.routes)} % on the canary`;
    return `Suspended by spec.suspend at ${where}. Nothing is written, and manual edits stay. Set spec.suspend to false to go on.`;
  }
  const since = `since ${timestamp(release.stepStartedMs)}`;
  const blocker = facts.blocker ?? facts.unroutable;
  const unconfirmed = awaitedRoutes(release, facts);
  const isStopped = facts.blocker !== undefined && isReleasing(phase);
  const clock = isStopped ? ' No deadline counts until that is removed.' : '';
  const stuck = blocker
    ? ` Blocked: ${blockerText(blocker)}.${clock}`
    : unconfirmed
      ? ` Not in force yet: ${blockerText(unconfirmed)}.`
      : '';
  const why = release.reason ? ` (${release.reason})` : '';
  return `${paused(canary, phase, release)}${sentence(canary, phase, release, facts, since, why)}${stuck}${refused(facts)}`;
}

/** A pause has no end of its own: who has set it, since when, and how it ends (E71). */
function paused({ metadata }: Canary, phase: Phase, { paused: pause, routes }: Release): string {
  if (!pause) return '';
  const where = phase === 'Waiting' ? '' : ` with ${weightOf(routes)} % on the canary`;
  return `Paused by ${pause.by} since ${timestamp(pause.sinceMs)}${where}, without limit. Nothing is checked, and no deadline runs. Resume it (serin resume ${metadata.name}), promote it or roll it back. State: `;
}

/** Which spec this goes by, and who can change that. */
function refused({ refused: edit }: Facts): string {
  if (edit === undefined) return '';
  if (edit.uncheckedUntilMs === undefined)
    return ` An edit of the spec is rejected (${edit.message}). The spec before it applies, and nothing advances until the edit is corrected.`;
  return ` The spec is rejected (${edit.message}). Correct it by ${timestamp(edit.uncheckedUntilMs)}, or a release under analysis is rolled back.`;
}

function sentence(canary: Canary, phase: Phase, release: Release, facts: Facts, since: string, why: string): string {
  const { name } = canary.spec.targetRef;
  const deadline = timestamp(release.stepStartedMs + progressDeadlineMs(canary));
  const due = dueMs(canary, phase, release, facts);
  const ends = due === undefined ? deadline : timestamp(due);
  const comesBy = (side: Side | undefined) => timestamp(rolloutDeadlineMs(canary, release.stepStartedMs, side));
  const drained = timestamp(release.stepStartedMs + facts.scaleDownDelayMs);
  const ending = endingOf(phase, release);
  const ended = ending ? endingClause(ending) : phase;
  switch (`${phase}.${release.step}`) {
    case 'Initializing.creatingPrimary':
      return facts.target === undefined
        ? `Waiting ${since} for ${missing(canary)}. Create it, or correct spec.targetRef. No deadline ends this.`
        : `Waiting ${since} for the primary of ${name} to be ready${lacks(facts.primary ?? facts.target, facts.primary ? 'primary' : 'target')}. ${name} keeps serving. Fix its pods; ${late(release, facts, canary)}.`;
    case 'Initializing.settling':
      return `The primary is ready. It gets traffic at ${drained}, when the proxies know its pods.`;
    case 'Initializing.takingTraffic':
      return `The primary is ready. Waiting ${since} for the routes to point at it.`;
    case 'Initialized.resting':
      return `Initialized: ${resting(canary, facts)}.`;
    case 'Initialized.confirming':
    case 'Succeeded.confirming':
    case 'Failed.confirming':
      return `Found a new revision of ${name}. Asking the confirm-rollout hooks ${since}.`;
    case 'Waiting.gate':
      return `Waiting ${since} for the confirm-rollout hooks, without limit. The owner of the gate can open it${why}.`;
    case 'Progressing.recycleRouting':
      return `The configs of ${name} changed, or may have. Waiting ${since} for its traffic to move to the primary; then its pods are recycled.`;
    case 'Progressing.recycleDraining':
      return `The configs of ${name} changed, or may have. Its pods are recycled at ${drained}, when the proxies know the new routes.`;
    case 'Progressing.recycleStopping':
      return `The configs of ${name} changed, or may have. Waiting ${since}, until ${deadline} at most, for its pods to stop: pods with the old configs must not be analysed.`;
    case 'Progressing.scalingUp':
      if (isReady(facts.target)) return `The canary is ready. Waiting ${since} for the routes to send all traffic to the primary.`;
      return `Waiting ${since} for the canary to be ready${lacks(facts.target, 'target')}. The release is rolled back at ${due === undefined ? comesBy(facts.target) : ends}; fix ${name} before that.`;
    case 'Progressing.settling':
      return primaryAwaited(release, facts) ?? `The canary is ready. It gets traffic at ${drained}, when the proxies know its pods.`;
    case 'Progressing.raising':
      return `Waiting ${since} for the pods of the next step${raised(facts.target, release, facts)}. The release is rolled back at ${deadline}; add capacity to the cluster before that.`;
    case 'Progressing.preRollout':
      return release.preRolloutPassed || release.refusedBy?.type === 'confirm-traffic-increase'
        ? `Waiting ${since} for the confirm-traffic-increase hooks before the first step, without limit. The owner of the gate can open it${why}.`
        : `Waiting ${since} for the pre-rollout hooks to pass. They are called every ${canary.spec.analysis.interval}${failures(canary, release)}; their owner can let the release pass${why}.`;
    case 'Progressing.analysing':
    case 'WaitingPromotion.analysing':
      return analysing(canary, phase, release, facts, why);
    case 'Progressing.canaryUnavailable':
    case 'WaitingPromotion.canaryUnavailable':
      return `The canary is unavailable and gets no traffic ${since}: ${down(facts.target, canary)}${failed(release, facts)}. The release is rolled back at ${ends} if it does not recover.`;
    case 'Progressing.canaryRecovered':
    case 'WaitingPromotion.canaryRecovered':
      return primaryAwaited(release, facts) ?? `The canary has recovered. It gets traffic at ${drained}, when the proxies know its pods.`;
    case 'Promoting.writingPrimary':
      return `The analysis passed. Writing the primary ${since}${why}.`;
    case 'Promoting.awaitingPrimary':
      return `Waiting ${since} for the primary to be ready with the promoted revision${lacks(facts.primary, 'primary')}. Its last template is restored at ${comesBy(facts.primary)} if it is not.`;
    case 'Promoting.raising':
      return `Waiting ${since} for the primary to have the pods for all traffic${raised(facts.primary, release, facts)}. At ${deadline} it gets all traffic with the pods that are ready; add capacity to the cluster before that.`;
    case 'Promoting.shifting':
      return `Routing traffic to the promoted primary ${since}.`;
    case 'Finalising.returningTraffic':
    case 'Succeeded.returningTraffic':
      return `Waiting ${since} for the routes to send all traffic to the primary.`;
    case 'Failed.returningTraffic':
      return `${ended}. Traffic returns to the primary as its pods become ready${raised(facts.primary, release, facts)}, and all of it at ${timestamp(release.stepStartedMs + longestRaiseMs(facts.intervalMs))} if the primary serves.`;
    case 'Initializing.draining':
    case 'Finalising.draining':
    case 'Succeeded.draining':
    case 'Failed.draining':
      return `${phase === 'Failed' ? `${ended}. ` : ''}The pods of ${name} are kept ${isKept(facts) ? `${since}: the primary does not serve${lacks(facts.primary, 'primary')}` : `until ${drained}, when the proxies know the new routes`}.`;
    case 'Succeeded.undoing':
      return `Writing the template of the promotion before the last into ${name} ${since}; it is released as a new revision.`;
    case 'Initialized.restarting':
    case 'Succeeded.restarting':
    case 'Failed.restarting':
      return `Restarting the pods of the primary ${since}.`;
    case 'Succeeded.resting':
      return `${ended}: ${resting(canary, facts)}.`;
    case 'Failed.servingFromCanary':
    case 'Failed.restoringPrimary':
      return `${ended}. Restoring the last promoted template of the primary ${since}${refusedRestore(release)}${lacks(facts.primary, 'primary')}. The canary serves until the primary is ready; an edit of ${name} waits for that.`;
    case 'Failed.resting':
      return `${ended}: ${facts.primary && !facts.primary.serving ? `the primary does not serve${lacks(facts.primary, 'primary')}` : 'the primary serves'}; ${againBy(canary, ending)}.`;
    default:
      return `${phase} ${since}${why}.`;
  }
}

function analysing(canary: Canary, phase: Phase, release: Release, facts: Facts, why: string): string {
  const next = release.wakeAtMs === undefined ? '' : `, next at ${timestamp(release.wakeAtMs)}`;
  const failed = failures(canary, release);
  const { awaitedSinceMs, blindSinceMs = Number.POSITIVE_INFINITY } = release;
  // Of two deadlines the earlier one ends the release.
  const blind = (awaitedSinceMs ?? Number.POSITIVE_INFINITY) <= blindSinceMs ? '' : unmeasured(canary, release);
  if (phase === 'WaitingPromotion') {
    const wait = `The analysis passed. Waiting since ${timestamp(release.stepStartedMs)} for the confirm-promotion hooks`;
    if (blind) return `${wait}. ${blind}${next}${failed}${why}.`;
    if (release.awaitedSinceMs !== undefined) return `${wait}. ${unready(facts, release.awaitedSinceMs, release)}${next}${failed}.`;
    if (release.awaitedEvidence !== undefined) return `${unproven(canary, release)}${next}${failed}${why}.`;
    return `${wait}, without limit. The owner of the gate can open it${failed}${why}.`;
  }
  if (blind) return `Stays at ${weightOf(release.routes)} %. ${blind}${next}${failed}${why}.`;
  if (release.awaitedSinceMs !== undefined) return `${unready(facts, release.awaitedSinceMs, release)}${next}${failed}.`;
  const awaited = primaryAwaited(release, facts);
  if (awaited) return awaited;
  if (release.awaitedEvidence !== undefined) return `${unproven(canary, release)}${next}${failed}${why}.`;
  if (release.refusedBy?.type === 'confirm-traffic-increase') {
    return `Stays at ${weightOf(release.routes)} % since ${timestamp(release.stepStartedMs)}. Waiting for the confirm-traffic-increase hooks, without limit. The owner of the gate can open it${next}${failed}${why}.`;
  }
  return `Checks the canary every ${canary.spec.analysis.interval}${next}${failed}${why}.`;
}

/** Sentence for a release whose canary is below its threshold (rule E80). */
function unready(facts: Facts, sinceMs: number, release: Release): string {
  const deadline = sinceMs + progressDeadlineMs(facts.canary);
  const untilMs = Math.min(deadline, unreadyUntilMs(release, facts) ?? deadline);
  return `Stays at ${weightOf(release.routes)} % since ${timestamp(sinceMs)}: ${shortOfPods(facts)}. The release is rolled back at ${timestamp(untilMs)} if they are not ready${failed(release, facts)}`;
}

/** Sentence for a release that its primary alone holds up: without limit, since a fix of the primary must not fail by it (rule E80). */
function primaryAwaited(release: Release, facts: Facts): string | undefined {
  const { routes } = release;
  const { primary } = facts;
  if (primary === undefined || !isPrimaryAwaited(release, facts)) return undefined;
  const what = primary.serving ? 'the primary is not ready' : 'the primary does not serve';
  return `Stays at ${weightOf(routes)} %: ${what}${lacks(primary, 'primary')}. Waiting for it without limit. Fix its pods, or set spec.skipAnalysis: true if this revision is the fix.`;
}

/** Sentence for a release that cannot be measured: since when, until when, and what happens then (rule E22a). */
function unmeasured(canary: Canary, { blindSinceMs }: Release): string {
  if (blindSinceMs === undefined) return '';
  const untilMs = unmeasuredUntilMs(canary, blindSinceMs);
  return `A check is unmeasured since ${timestamp(blindSinceMs)}. The release is rolled back at ${timestamp(untilMs)} if that lasts; restore the metrics`;
}

/** Sentence for a release with `pace: evidence` whose comparison is undecided: until when, and what happens then (rule E124). */
function unproven(canary: Canary, release: Release): string {
  const untilMs = evidenceUntilMs(release, canary);
  return `Stays at ${weightOf(release.routes)} % until the comparison with the primary shows that the canary is not worse than tolerated, and goes on without that at ${timestamp(untilMs)}`;
}

/** The pods that a canary below its threshold lacks. */
export function shortOfPods({ target, canary }: Facts): string {
  if (target === undefined) return 'the canary does not exist';
  const { ready, wanted, reason } = target.readiness;
  const threshold = canary.spec.analysis.canaryReadyThreshold ?? 100;
  const short = `${ready} of ${wanted} canary pods are ready; canaryReadyThreshold is ${threshold}%`;
  return ready < wanted || reason === undefined ? short : reason;
}

/** Parts that a workload that is not ready lacks, and where to look. */
function lacks(side: Side | undefined, role: 'primary' | 'target'): string {
  if (side === undefined) return role === 'primary' ? ': it does not exist yet' : ': it does not exist, create it again';
  if (side.readiness.state === 'ready') return side.serving || side.replicas === 0 ? '' : ': none of its pods is ready';
  return side.readiness.reason === undefined ? '' : `: ${side.readiness.reason}`;
}

/** Why a canary that had traffic serves no longer, and what its owner can do. */
function down(target: Side | undefined, canary: Canary): string {
  const { kind, name } = canary.spec.targetRef;
  if (target === undefined) return `${kind} ${name} does not exist any more; create it again`;
  if (target.replicas === 0)
    return kind === 'DaemonSet'
      ? `DaemonSet ${name} is scheduled on no node: correct its node selector, affinity or tolerations`
      : `${kind} ${name} was scaled to zero; scale it up`;
  const short = target.readiness.state === 'ready' ? '' : lacks(target, 'target');
  return `none of its pods is ready${short}; fix ${name}`;
}

/** The last failing of its pods. */
function failed(release: Release, facts: Facts): string {
  const last = lastFailing(release, facts);
  return last === undefined ? '' : ` (${last})`;
}

/** What starts a release again. */
function againBy({ metadata, spec: { targetRef } }: Canary, ending: Ending | undefined): string {
  const isOfVersion = ending === undefined || endings[ending.code].isOfVersion === true;
  if (isOfVersion) return `push a corrected ${targetRef.name} to start again`;
  return endingRemedy(ending, { ...metadata, target: `${targetRef.kind} ${targetRef.name}` });
}

/** Why the restore was refused, where the cause of the failure is recorded beside it. */
function refusedRestore({ ending, reason }: Release): string {
  return ending === undefined || reason === undefined || reason === ending.detail ? '' : `, which is refused (${reason})`;
}

/** How far the side is that gets more load, and what else it waits for. */
function raised(side: Side | undefined, { capacity }: Release, facts: Facts): string {
  if (!capacity || !side) return '';
  const { reachedMs, pods } = capacity;
  const settles =
    reachedMs === undefined
      ? ''
      : `, and the proxies know them at ${timestamp(reachedMs + settlingMs(capacity.side, facts.scaleDownDelayMs))}`;
  return `: ${Math.min(side.readiness.ready, pods)} of ${pods} pods are ready${settles}`;
}

function missing(canary: Canary): string {
  const { kind, name } = canary.spec.targetRef;
  return `${kind} ${name} of spec.targetRef, which does not exist`;
}

function late(release: Release, facts: Facts, canary: Canary): string {
  const deadline = release.stepStartedMs + progressDeadlineMs(canary);
  return `it is ${facts.nowMs >= deadline ? 'late: it was ' : ''}expected by ${timestamp(deadline)}`;
}

/** Words of an idle Canary stay the same in every version: others would write each idle Canary once at an upgrade (I8). */
function resting(canary: Canary, facts: Facts): string {
  const { primary, target } = facts;
  const serves = primary && !primary.serving ? `the primary does not serve${lacks(primary, 'primary')}` : 'the primary serves';
  if (target === undefined) return `${serves}; waits for ${missing(canary)}: create it again`;
  const { kind, name } = canary.spec.targetRef;
  return target.undetermined === undefined || facts.blocker !== undefined
    ? `${serves}; waits for a change of ${name}`
    : `${serves}; waits to know ${kind} ${name}: ${blockerText(target.undetermined)}`;
}

function failures(canary: Canary, release: Release): string {
  return release.failedChecks === 0 ? '' : `; ${release.failedChecks} of ${thresholdOf(canary.spec.analysis)} failed checks used`;
}
