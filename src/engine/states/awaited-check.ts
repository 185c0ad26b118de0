import { remedyOf } from '../../api/codes/codes.ts';
import { defined } from '../../base/defined.ts';
import { timestamp } from '../../base/timestamp.ts';
import { evidenceUntilMs } from '../comparison/harm.ts';
import { progressDeadlineMs, unmeasuredUntilMs } from '../deadlines.ts';
import { unreadyUntilMs } from '../failing.ts';
import { gateUntilMs } from '../gate-limit.ts';
import { judgeChecks, unmeasuredRemedy } from '../judge-checks.ts';
import { isPrimaryAwaited } from '../sides.ts';
import { weightOf } from '../strategy.ts';
import type { Standing, Wait } from '../wait.ts';
import { earliest } from '../wakes.ts';
import { notReady, primaryNotReady } from './awaited-side.ts';
import { saying, uncheckedUntilMs, why } from './standing.ts';
import { failures, gateLimit, lastFailed, opensGate, primaryAwaited, shortOfPods } from './words.ts';

/** Time of the next check, or of the deadline of a wait. Epoch milliseconds. */
export function dueOfCheck(standing: Standing): number | undefined {
  const { canary, phase, release, facts } = standing;
  const { blindSinceMs, awaitedSinceMs, wakeAtMs } = release;
  const awaitedUntilMs = awaitedSinceMs === undefined ? undefined : awaitedSinceMs + progressDeadlineMs(canary);
  const uncheckedMs = uncheckedUntilMs(standing);
  // Nothing is measured in that case.
  if (uncheckedMs !== undefined) return Math.min(awaitedUntilMs ?? uncheckedMs, uncheckedMs);
  const measuredByMs = blindSinceMs === undefined ? undefined : unmeasuredUntilMs(canary, blindSinceMs);
  const untilMs = earliest([measuredByMs, awaitedUntilMs, awaitedUntilMs && unreadyUntilMs(release, facts)]);
  if (untilMs !== undefined) return untilMs;
  if (isPrimaryAwaited(release, facts)) return undefined;
  return phase === 'WaitingPromotion' && release.awaitedEvidence === undefined ? gateUntilMs(canary, release) : wakeAtMs;
}

/** Waits that keep a release under analysis from its next step. */
export function waitsOfCheck(standing: Standing, dueMs: number | undefined) {
  const checks = [...ofVerdicts(standing), ...ofEvidence(standing)];
  // Checks that are not made have no deadline (E65).
  const dated = uncheckedUntilMs(standing) === undefined ? checks : checks.map(({ untilMs: _, ...wait }) => wait);
  const side = standing.release.awaitedSinceMs === undefined ? primaryNotReady(standing, dueMs) : notReady(standing, 'target', dueMs);
  return saying(sentence(standing), ...dated, side, { code: 'Running' });
}

/** The checks of the last interval that keep it from its next step. */
function ofVerdicts({ canary, release: { verdicts = [], blindSinceMs } }: Standing): Wait[] {
  const blind = blindSinceMs === undefined ? {} : { sinceMs: blindSinceMs, untilMs: unmeasuredUntilMs(canary, blindSinceMs) };
  const { failed, unmeasured } = judgeChecks(verdicts, 'hold');
  return [
    ...failed.map(({ check, reason }) => defined({ code: 'CheckFailed', metric: check, detail: reason })),
    ...unmeasured.map(({ check, code = 'Unmeasured', object, field, reason }) =>
      defined({ code, metric: check, object, field, detail: reason, ...blind }),
    ),
  ];
}

/** The comparison with the primary, which lacks evidence for the next step (E124). */
function ofEvidence({ canary, release }: Standing): Wait[] {
  const { awaitedEvidence: metric, reason } = release;
  if (metric === undefined) return [];
  return [defined({ code: 'InsufficientEvidence', metric, untilMs: evidenceUntilMs(release, canary), detail: reason })];
}

function sentence(standing: Standing): string {
  const { canary, phase, release } = standing;
  // A separate sentence, since another time precedes it.
  const next = release.wakeAtMs === undefined ? '' : `. The next check is at ${timestamp(release.wakeAtMs)}`;
  const used = failures(standing);
  const { awaitedSinceMs, blindSinceMs = Number.POSITIVE_INFINITY } = release;
  // The earlier of two deadlines ends the release.
  const blind = (awaitedSinceMs ?? Number.POSITIVE_INFINITY) <= blindSinceMs ? '' : unmeasuredSince(standing);
  const stays = `Stays at ${weightOf(release.routes)}%`;
  if (phase === 'WaitingPromotion') {
    const wait = `The analysis passed. Waiting since ${timestamp(release.stepStartedMs)} for the confirm-promotion hooks`;
    if (blind) return `${wait}. ${blind}${next}${used}${why(standing)}.`;
    if (awaitedSinceMs !== undefined) return `${wait}. ${unready(standing, awaitedSinceMs)}${next}${used}.`;
    if (release.awaitedEvidence !== undefined) return `${unproven(standing)}${next}${used}${why(standing)}.`;
    return `${wait}, ${gateLimit(standing)}. ${opensGate(standing)}${used}${why(standing)}.`;
  }
  if (blind) return `${stays}. ${blind}${next}${used}${why(standing)}.`;
  if (awaitedSinceMs !== undefined) return `${unready(standing, awaitedSinceMs)}${next}${used}.`;
  const awaited = primaryAwaited(standing);
  if (awaited) return awaited;
  if (release.awaitedEvidence !== undefined) return `${unproven(standing)}${next}${used}${why(standing)}.`;
  if (release.refusedBy?.type === 'confirm-traffic-increase') {
    return `${stays} since ${timestamp(release.stepStartedMs)}. Waiting for the confirm-traffic-increase hooks, ${gateLimit(standing)}. ${opensGate(standing)}${next}${used}${why(standing)}.`;
  }
  const soon = release.wakeAtMs === undefined ? '' : `, next at ${timestamp(release.wakeAtMs)}`;
  return `Checks the canary every ${canary.spec.analysis.interval}${soon}${used}${why(standing)}.`;
}

/** Sentence for a release whose canary is below its threshold (rule E80). */
function unready(standing: Standing, sinceMs: number): string {
  const { release, facts } = standing;
  const latestMs = sinceMs + progressDeadlineMs(facts.canary);
  const untilMs = Math.min(latestMs, unreadyUntilMs(release, facts) ?? latestMs);
  return `Stays at ${weightOf(release.routes)}% since ${timestamp(sinceMs)}: ${shortOfPods(facts)}. The release is rolled back at ${timestamp(untilMs)} if they are not ready${lastFailed(standing)}`;
}

/** Sentence for a release that cannot be measured: its start, its time limit, and the result then (rule E22a). */
function unmeasuredSince({ canary, release: { blindSinceMs, verdicts = [] } }: Standing): string {
  if (blindSinceMs === undefined) return '';
  const untilMs = unmeasuredUntilMs(canary, blindSinceMs);
  const remedy = unmeasuredRemedy({ verdicts }) ?? remedyOf('Unmeasured');
  return `A check is unmeasured since ${timestamp(blindSinceMs)}. The release is rolled back at ${timestamp(untilMs)} if that lasts; ${remedy}`;
}

/** Sentence for a release with `pace: evidence` whose comparison is undecided: its time limit, and the result then (rule E124). */
function unproven({ canary, release }: Standing): string {
  const untilMs = evidenceUntilMs(release, canary);
  return `Stays at ${weightOf(release.routes)}% until the comparison with the primary shows that the canary is not worse than tolerated, and goes on without that at ${timestamp(untilMs)}`;
}
