import { blockerText } from '../api/blocker-text.ts';
import type { Canary } from '../api/canary.ts';
import type { Release } from '../api/canary-status.ts';
import type { Phase } from '../api/phase.ts';
import { timestamp } from '../api/timestamp.ts';
import { longestRaiseMs, progressDeadlineMs, rolloutDeadlineMs, settlingMs, unmeasuredUntilMs } from './deadlines.ts';
import { isPrimaryAwaited } from './due.ts';
import type { Facts, Side } from './facts.ts';
import { thresholdOf } from './judge.ts';
import { weightOf } from './strategy.ts';

/** One sentence: what this Canary waits for, since when, until when, and who can unblock it. */
export function explain(canary: Canary, facts: Facts): string {
  const { status } = canary;
  if (!status?.release) return 'Not started yet: waits for the controller to see its target.';
  return explainRelease(canary, status.phase, status.release, facts);
}

/** The same for a phase and release that are about to be recorded. Times are absolute, so that the sentence stays the same. */
export function explainRelease(canary: Canary, phase: Phase, release: Release, facts: Facts): string {
  if (canary.spec.suspend === true) {
    const where = `${phase} with ${weightOf(release.routes)} % on the canary`;
    return `Suspended by spec.suspend at ${where}: nothing is written and edits by hand stay, until someone sets it to false.`;
  }
  const since = `since ${timestamp(release.stepStartedMs)}`;
  const blocker = facts.blocker ?? facts.unroutable;
  const { unconfirmed } = facts;
  const stuck = blocker ? ` Blocked: ${blockerText(blocker)}.` : unconfirmed ? ` Not in force yet: ${blockerText(unconfirmed)}.` : '';
  const why = release.reason ? ` (${release.reason})` : '';
  return `${paused(canary, phase, release)}${sentence(canary, phase, release, facts, since, why)}${stuck}${refused(facts)}`;
}

/** A pause has no end of its own: who has set it, since when, and how it ends (E71). */
function paused({ metadata }: Canary, phase: Phase, { paused: pause, routes }: Release): string {
  if (!pause) return '';
  const where = phase === 'Waiting' ? '' : ` with ${weightOf(routes)} % on the canary`;
  return `Paused by ${pause.by} since ${timestamp(pause.sinceMs)}${where}, without limit: nothing is checked and no deadline counts until someone resumes it (serin resume ${metadata.name}), promotes it or rolls it back. Where it is: `;
}

/** Which spec this goes by, and who can change that. */
function refused({ refused: edit }: Facts): string {
  if (edit === undefined) return '';
  if (edit.uncheckedUntilMs === undefined)
    return ` An edit of the spec is refused (${edit.message}): this goes by the spec before it, and nothing advances until someone corrects the edit.`;
  return ` The spec is refused (${edit.message}): correct it until ${timestamp(edit.uncheckedUntilMs)}, else an analysis is rolled back.`;
}

function sentence(canary: Canary, phase: Phase, release: Release, facts: Facts, since: string, why: string): string {
  const { name } = canary.spec.targetRef;
  const deadline = timestamp(release.stepStartedMs + progressDeadlineMs(canary));
  const comesBy = (side: Side | undefined) => timestamp(rolloutDeadlineMs(canary, release.stepStartedMs, side));
  const drained = timestamp(release.stepStartedMs + facts.scaleDownDelayMs);
  switch (`${phase}.${release.step}`) {
    case 'Initializing.creatingPrimary':
      return facts.target === undefined
        ? `Waits ${since} for ${missing(canary)}; create it or correct spec.targetRef; no deadline ends this.`
        : `Waits ${since} for the primary of ${name} to be ready${lacks(facts.primary ?? facts.target, facts.primary ? 'primary' : 'target')}; ${name} keeps serving, and its owner can fix what its pods lack${late(release, facts, canary)}.`;
    case 'Initializing.settling':
      return `The primary is ready; waits ${since} until ${drained} for the proxies to learn of its pods.`;
    case 'Initializing.takingTraffic':
      return `The primary is ready; waits ${since} for the routes to point at it.`;
    case 'Initialized.resting':
      return `Initialized: ${resting(canary, facts)}.`;
    case 'Initialized.confirming':
    case 'Succeeded.confirming':
    case 'Failed.confirming':
      return `A new revision of ${name} was found; asks the confirm-rollout hooks ${since}.`;
    case 'Waiting.gate':
      return `Waits ${since} for the confirm-rollout hooks, without limit; the gate's owner can open it${why}.`;
    case 'Progressing.withdrawing':
      return `The configs of ${name} changed, or may have; waits ${since} for its traffic to go to the primary, then its pods start anew.`;
    case 'Progressing.clearing':
      return `The configs of ${name} changed, or may have; its pods stop at ${drained} and start anew, since proxies learn of routes late.`;
    case 'Progressing.emptying':
      return `The configs of ${name} changed, or may have; waits ${since} until ${deadline} for its pods to stop, so that none is analysed that read the old ones.`;
    case 'Progressing.scalingUp':
      return `Waits ${since} until ${comesBy(facts.target)} for the canary to be ready${lacks(facts.target, 'target')}, else the release is rolled back; its owner can correct ${name}.`;
    case 'Progressing.settling':
      return primaryAwaited(release, facts) ?? `The canary is ready; waits ${since} until ${drained} for the proxies to learn of its pods.`;
    case 'Progressing.raising':
      return `Waits ${since} until ${deadline} for the canary to have the pods of its next step${raised(facts.target, release, facts)}, else the release is rolled back; make room in the cluster.`;
    case 'Progressing.preRollout':
      return release.preRolloutPassed || release.refusedBy?.type === 'confirm-traffic-increase'
        ? `Waits ${since} for the confirm-traffic-increase hooks before the first step, without limit; the gate's owner can open it${why}.`
        : `Waits ${since} for the pre-rollout hooks to pass, asked every ${canary.spec.analysis.interval}${failures(canary, release)}; their owner can let it pass${why}.`;
    case 'Progressing.analysing':
    case 'WaitingPromotion.analysing':
      return analysing(canary, phase, release, facts, why);
    case 'Progressing.heldBack':
    case 'WaitingPromotion.heldBack':
      return `The canary gets no traffic ${since}: ${down(facts.target, canary)}; waits until ${deadline} for it to serve, else the release is rolled back.`;
    case 'Progressing.comingBack':
    case 'WaitingPromotion.comingBack':
      return (
        primaryAwaited(release, facts) ?? `The canary serves again; waits ${since} until ${drained} for the proxies to learn of its pods.`
      );
    case 'Promoting.writingPrimary':
      return `The analysis passed; writes the primary ${since}${why}.`;
    case 'Promoting.awaitingPrimary':
      return `Waits ${since} until ${comesBy(facts.primary)} for the primary to be ready with the promoted revision${lacks(facts.primary, 'primary')}, else its last template is restored.`;
    case 'Promoting.raising':
      return `Waits ${since} until ${deadline} for the primary to have the pods of the whole load${raised(facts.primary, release, facts)}; then traffic returns to the pods that there are; make room in the cluster.`;
    case 'Promoting.shifting':
      return `Traffic is routed to the promoted primary, ${since}.`;
    case 'Finalising.returningTraffic':
    case 'Succeeded.returningTraffic':
      return `Waits ${since} for the routes to send everything to the primary.`;
    case 'Failed.returningTraffic':
      return `Failed${why}: traffic returns to the primary as it can take it${raised(facts.primary, release, facts)}, at the latest at ${timestamp(release.stepStartedMs + longestRaiseMs(facts.intervalMs))} if it serves.`;
    case 'Initializing.draining':
    case 'Finalising.draining':
    case 'Succeeded.draining':
    case 'Failed.draining':
      return `${phase === 'Failed' ? `Failed${why}: the` : 'The'} pods of ${name} are kept until ${drained}, while proxies learn of the routes.`;
    case 'Succeeded.resting':
      return `Succeeded: ${resting(canary, facts)}.`;
    case 'Failed.servingFromCanary':
    case 'Failed.restoringPrimary':
      return `Failed${why}: the canary serves where it can ${since} until the primary is back at its last promoted template and ready${lacks(facts.primary, 'primary')}; an edit of ${name} waits for that.`;
    case 'Failed.resting':
      return `Failed${why}: ${facts.primary && !facts.primary.serving ? `the primary does not serve${lacks(facts.primary, 'primary')}` : 'the primary serves'}; push a corrected ${name} to start again.`;
    default:
      return `${phase} ${since}${why}.`;
  }
}

function analysing(canary: Canary, phase: Phase, release: Release, facts: Facts, why: string): string {
  const next = release.wakeAtMs === undefined ? '' : `, next at ${timestamp(release.wakeAtMs)}`;
  const failed = failures(canary, release);
  const blind = unmeasured(canary, release);
  if (phase === 'WaitingPromotion') {
    const wait = `The analysis passed; waits since ${timestamp(release.stepStartedMs)} for the confirm-promotion hooks`;
    if (blind) return `${wait}. ${blind}${next}${failed}${why}.`;
    if (release.awaitedSinceMs !== undefined) return `${wait}. ${unready(facts, release.awaitedSinceMs, release)}${next}${failed}.`;
    return `${wait}, without limit; the gate's owner can open it${failed}${why}.`;
  }
  if (blind) return `Stays at ${weightOf(release.routes)} %. ${blind}${next}${failed}${why}.`;
  if (release.awaitedSinceMs !== undefined) return `${unready(facts, release.awaitedSinceMs, release)}${next}${failed}.`;
  const awaited = primaryAwaited(release, facts);
  if (awaited) return awaited;
  if (release.refusedBy?.type === 'confirm-traffic-increase') {
    return `Stays at ${weightOf(release.routes)} % since ${timestamp(release.stepStartedMs)}: waits for the confirm-traffic-increase hooks, without limit; the gate's owner can open it${next}${failed}${why}.`;
  }
  return `Checks the canary every ${canary.spec.analysis.interval}${next}${failed}${why}.`;
}

/** Sentence for a release whose canary is below its threshold (rule E80). */
function unready(facts: Facts, sinceMs: number, { routes }: Release): string {
  const untilMs = sinceMs + progressDeadlineMs(facts.canary);
  return `Stays at ${weightOf(routes)} % since ${timestamp(sinceMs)}: ${shortOfPods(facts)}; waits until ${timestamp(untilMs)} for them, else the release is rolled back`;
}

/** Sentence for a release that its primary alone holds up: without limit, since a fix of the primary must not fail by it (rule E80). */
function primaryAwaited(release: Release, facts: Facts): string | undefined {
  const { routes } = release;
  const { primary } = facts;
  if (primary === undefined || !isPrimaryAwaited(release, facts)) return undefined;
  const what = primary.serving ? 'the primary is not ready' : 'the primary does not serve';
  return `Stays at ${weightOf(routes)} %: ${what}${lacks(primary, 'primary')}; waits for it without limit: mend its pods, or set spec.skipAnalysis: true if this revision is the remedy.`;
}

/** Sentence for a release that cannot be measured: since when, until when, and what happens then (rule E22a). */
function unmeasured(canary: Canary, { blindSinceMs }: Release): string {
  if (blindSinceMs === undefined) return '';
  const untilMs = unmeasuredUntilMs(canary, blindSinceMs);
  return `A check cannot be measured since ${timestamp(blindSinceMs)}, which counts for nothing until ${timestamp(untilMs)} and then rolls the release back; restore the metrics`;
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
  if (side === undefined) return role === 'primary' ? ', which does not exist yet' : ', which does not exist: create it again';
  if (side.readiness.state === 'ready') return side.serving || side.replicas === 0 ? '' : ', none of whose pods is ready';
  return side.readiness.reason === undefined ? '' : `, ${side.readiness.reason}`;
}

/** Why a canary that had traffic serves no longer, and what its owner can do. */
function down(target: Side | undefined, canary: Canary): string {
  const { kind, name } = canary.spec.targetRef;
  if (target === undefined) return `${kind} ${name} does not exist any more, and its owner can create it again`;
  if (target.replicas === 0)
    return kind === 'DaemonSet'
      ? `DaemonSet ${name} is scheduled on no node: correct its node selector, affinity or tolerations`
      : `${kind} ${name} was scaled to zero, and its owner can scale it up`;
  const short = target.readiness.state === 'ready' ? '' : lacks(target, 'target');
  return `none of its pods is ready${short}; its owner can correct ${name}`;
}

/** How far the side is that gets more load, and what else it waits for. */
function raised(side: Side | undefined, { capacity }: Release, facts: Facts): string {
  if (!capacity || !side) return '';
  const { reachedMs, pods } = capacity;
  const settles =
    reachedMs === undefined
      ? ''
      : `, and until ${timestamp(reachedMs + settlingMs(capacity.side, facts.scaleDownDelayMs))} for the proxies to learn of them`;
  return `, ${Math.min(side.readiness.ready, pods)} of ${pods} pods are ready${settles}`;
}

function missing(canary: Canary): string {
  const { kind, name } = canary.spec.targetRef;
  return `${kind} ${name} of spec.targetRef, which does not exist`;
}

function late(release: Release, facts: Facts, canary: Canary): string {
  const deadline = release.stepStartedMs + progressDeadlineMs(canary);
  return `; expected until ${timestamp(deadline)}${facts.nowMs >= deadline ? ', and late' : ''}`;
}

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
