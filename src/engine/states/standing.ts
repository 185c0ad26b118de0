import { timestamp } from '../../base/timestamp.ts';
import { progressDeadlineMs, rolloutDeadlineMs } from '../deadlines.ts';
import type { SideFacts } from '../facts.ts';
import { isPrimaryAwaited } from '../sides.ts';
import type { Standing, Wait, Waits } from '../wait.ts';

export const since = ({ release }: Standing): string => `since ${timestamp(release.stepStartedMs)}`;
export const why = ({ release: { reason } }: Standing): string => (reason ? ` (${reason})` : '');

/** The progress deadline of the step. Epoch milliseconds. */
export const deadlineMs = ({ release, canary }: Standing): number => release.stepStartedMs + progressDeadlineMs(canary);
export const deadline = (standing: Standing): string => timestamp(deadlineMs(standing));

/** When proxies know of the pods or routes that the step began with. Epoch milliseconds. */
export const drainedMs = ({ release, facts }: Standing): number => release.stepStartedMs + facts.scaleDownDelayMs;
export const drained = (standing: Standing): string => timestamp(drainedMs(standing));

export const rolloutMs = ({ canary, release }: Standing, side: SideFacts | undefined): number =>
  rolloutDeadlineMs(canary, release.stepStartedMs, side);

/** The moment at which a side that waits for its pods is given up. */
export const comesBy = (standing: Standing, side: SideFacts | undefined): string => timestamp(rolloutMs(standing, side));

/** The pause for proxies ends, but the step still waits for something else. */
export function isDrainHeld({ release, facts }: Standing): boolean {
  return facts.unconfirmed !== undefined || isPrimaryAwaited(release, facts);
}

/** Until when a release under analysis can go without checks; of any other phase a refused spec ends nothing (E65). */
export function uncheckedUntilMs({ phase, release: { paused }, facts: { refused } }: Standing): number | undefined {
  return paused === undefined && (phase === 'Progressing' || phase === 'WaitingPromotion') ? refused?.uncheckedUntilMs : undefined;
}

/** The text of the first wait describes the state; without a wait the release continues within seconds. */
export function saying(text: string, ...waits: (Wait | undefined)[]): Waits {
  const [first = { code: 'Propagating' }, ...others] = waits.filter((one) => one !== undefined);
  return [{ ...first, text }, ...others];
}

/** Hooks are called, or have answered, which their own blocker says. */
export const sayingOfHooks = (text: string): Waits => saying(text, { code: 'Running' });
