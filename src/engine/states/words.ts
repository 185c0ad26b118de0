import { remedyOf } from '../../api/codes/codes.ts';
import { endingClause, endingOf, endingRemedy, isRemediedByVersion } from '../../api/ending.ts';
import { defined } from '../../base/defined.ts';
import { timestamp } from '../../base/timestamp.ts';
import { settlingMs } from '../deadlines.ts';
import type { Facts, SideFacts } from '../facts.ts';
import { lastFailing } from '../failing.ts';
import { gateUntilMs } from '../gate-limit.ts';
import { urlField } from '../hook-refusal.ts';
import { thresholdOf } from '../judge-checks.ts';
import { isPrimaryAwaited } from '../sides.ts';
import { weightOf } from '../strategy.ts';
import type { Standing } from '../wait.ts';

/** Missing parts of a workload that is not ready, and the place to look. */
export function lacks(side: SideFacts | undefined, role: 'primary' | 'target'): string {
  if (side === undefined) return role === 'primary' ? ': it does not exist yet' : ': it does not exist, create it again';
  if (side.readiness.state === 'ready') return side.serving || side.replicas === 0 ? '' : ': none of its pods is ready';
  return side.readiness.reason === undefined ? '' : `: ${side.readiness.reason}`;
}

/** The last failure of its pods. */
export function lastFailed({ release, facts }: Standing): string {
  const last = lastFailing(release, facts);
  return last === undefined ? '' : ` (${last})`;
}

/** The time for which a gate is waited for, and the result then (E145). */
export function gateLimit({ canary, release }: Standing): string {
  const untilMs = gateUntilMs(canary, release);
  return untilMs === undefined ? 'without limit' : `until ${timestamp(untilMs)}, when the release is rolled back`;
}

/** The action that opens a gate, or that passes a gate without an answer, as a sentence without a full stop. */
export function opensGate(standing: Standing): string {
  const { refusedBy } = standing.release;
  return refusedBy?.isUnanswered ? `The gate cannot be reached: ${hookRemedy(standing)}` : 'The owner of the gate can open it';
}

function hookRemedy({ canary, release: { refusedBy } }: Standing): string {
  const field = refusedBy && urlField(canary.spec.analysis.webhooks, refusedBy);
  return remedyOf('WebhookUnreachable', defined({ webhook: refusedBy?.webhook, field }));
}

/** The same for hooks that judge: a failed check for each refusal. */
export const letsPass = (standing: Standing): string =>
  standing.release.refusedBy?.isUnanswered ? `a hook cannot be reached: ${hookRemedy(standing)}` : 'their owner can let the release pass';

/** Progress of the side that gets more load, and its further waits. */
export function raised(side: SideFacts | undefined, { release: { capacity }, facts }: Standing): string {
  if (!capacity || !side) return '';
  const { reachedMs, pods } = capacity;
  const settles =
    reachedMs === undefined
      ? ''
      : `, and the proxies know them at ${timestamp(reachedMs + settlingMs(capacity.side, facts.scaleDownDelayMs))}`;
  return `: ${Math.min(side.readiness.ready, pods)} of ${pods} pods are ready${settles}`;
}

export function missing({ canary }: Standing): string {
  const { kind, name } = canary.spec.targetRef;
  return `${kind} ${name} of spec.targetRef, which does not exist in namespace ${canary.metadata.namespace}`;
}

export function failures({ canary, release }: Standing): string {
  return release.failedChecks === 0 ? '' : `; ${release.failedChecks} of ${thresholdOf(canary.spec.analysis)} failed checks used`;
}

/** Sentence for a release that only its primary holds: without limit, since a fix of the primary must not fail because of it (rule E80). */
export function primaryAwaited({ release, facts }: Standing): string | undefined {
  const { primary } = facts;
  if (primary === undefined || !isPrimaryAwaited(release, facts)) return undefined;
  const what = primary.serving ? 'the primary is not ready' : 'the primary does not serve';
  return `Stays at ${weightOf(release.routes)}%: ${what}${lacks(primary, 'primary')}. Waiting for it without limit. Fix its pods, or set spec.skipAnalysis: true if this revision is the fix.`;
}

/** The pods that a canary below its threshold lacks. */
export function shortOfPods({ target, canary }: Facts): string {
  if (target === undefined) return 'the canary does not exist';
  const { ready, wanted, reason } = target.readiness;
  const threshold = canary.spec.analysis.canaryReadyThreshold ?? 100;
  const short = `${ready} of ${wanted} canary pods are ready; canaryReadyThreshold is ${threshold}%`;
  return ready < wanted || reason === undefined ? short : reason;
}

/** One clause: the result of the release, and its reason. */
export function ended({ phase, release }: Standing): string {
  const ending = endingOf(phase, release);
  return ending ? endingClause(ending) : phase;
}

/** Action that starts a failed release again. */
export function startsAgain({ canary: { metadata, spec }, phase, release }: Standing): string {
  const { kind, name } = spec.targetRef;
  const ending = endingOf(phase, release);
  if (ending === undefined || (ending.cause === undefined && isRemediedByVersion(ending))) return `push a corrected ${name} to start again`;
  return endingRemedy(ending, { ...metadata, target: `${kind} ${name}` });
}
