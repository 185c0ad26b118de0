import { blockerText } from '../api/blocker-text.ts';
import type { Canary } from '../api/canary.ts';
import type { Release } from '../api/canary-status.ts';
import { isReleasing, type Phase } from '../api/phase.ts';
import { UNKNOWN_USER } from '../api/verb-request.ts';
import { timestamp } from '../base/timestamp.ts';
import { dueMs } from './due.ts';
import type { Facts } from './facts.ts';
import { stateOf } from './states/lookup.ts';
import { weightOf } from './strategy.ts';
import { awaitedRoutes } from './waits-of.ts';

/** One sentence: the reason for which this Canary waits, its start, its time limit, and the actor who can unblock it. */
export function explain(canary: Canary, facts: Facts): string {
  const { status } = canary;
  if (!status?.release) return 'Not started yet. Waiting for the controller to see the target.';
  return explainRelease(canary, status.phase, status.release, facts);
}

/** The same for a phase and release that are about to be recorded. Times are absolute, so that the sentence stays the same. */
export function explainRelease(canary: Canary, phase: Phase, release: Release, facts: Facts): string {
  if (canary.spec.suspend === true) {
    const where = `${phase} with ${weightOf(release.routes)}% on the canary`;
    return `Suspended by spec.suspend at ${where}. Nothing is written, and manual edits stay. Set spec.suspend to false to go on.`;
  }
  const blocker = facts.blocker ?? facts.unroutable;
  const unconfirmed = awaitedRoutes(release, facts);
  const isStopped = facts.blocker !== undefined && isReleasing(phase);
  const clock = isStopped ? ' No deadline counts until that is removed.' : '';
  const stuck = blocker
    ? ` Blocked: ${blockerText(blocker)}.${clock}`
    : unconfirmed
      ? ` Not in force yet: ${blockerText(unconfirmed)}.`
      : '';
  const [{ text }] = stateOf(phase, release.step).waits({ canary, phase, release, facts }, dueMs(canary, phase, release, facts));
  return `${paused(canary, phase, release)}${text}${stuck}${refused(facts)}`;
}

/** A pause has no time limit: the user who set it, its start, and the way to end it (E71). */
function paused({ metadata }: Canary, phase: Phase, { paused: pause, routes }: Release): string {
  if (!pause) return '';
  const where = phase === 'Waiting' ? '' : ` with ${weightOf(routes)}% on the canary`;
  const who = pause.by === UNKNOWN_USER ? '' : ` by ${pause.by}`;
  return `Paused${who} since ${timestamp(pause.sinceMs)}${where}, without limit. Nothing is checked, and no deadline runs. Resume it (serin resume ${metadata.name}), promote it or roll it back. State: `;
}

/** The spec that applies while an edit is refused, and the actor who can change that. */
function refused({ refused: edit }: Facts): string {
  if (edit === undefined) return '';
  if (edit.uncheckedUntilMs === undefined)
    return ` An edit of the spec is rejected (${edit.message}). The previous spec applies, and nothing advances until the edit is corrected.`;
  return ` The spec is rejected (${edit.message}). Correct it by ${timestamp(edit.uncheckedUntilMs)}, or a release under analysis is rolled back.`;
}
