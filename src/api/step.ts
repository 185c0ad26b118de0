import type { Release } from './canary-status.ts';
import type { Phase } from './phase.ts';

/** A release, or the known part of it. */
type Stepped = Partial<Pick<Release, 'step'>> | undefined;

/** The step of a release that has ended. */
export const RESTING = 'resting';
/** The step in which a canary gets its weight, and is checked. */
export const ANALYSING = 'analysing';

/** No release is in progress, and the canary is at zero. */
export const isResting = (release: { step?: unknown } | undefined): boolean => release?.step === RESTING;

export const isAnalysing = (release: Stepped): boolean => release?.step === ANALYSING;

/** The first primary has no serving pods yet. */
export const isCreatingPrimary = (release: Stepped): boolean => release?.step === 'creatingPrimary';

/** Until the apex Service moves, only the target answers, with any routes. */
export function isBeforeTraffic(phase: Phase, release: Stepped): boolean {
  return phase === 'Initializing' && (isCreatingPrimary(release) || release?.step === 'settling');
}

/** A side gets the pods that its next weight needs. */
export const isRaising = (release: Stepped): boolean => release?.step === 'raising';

/** The canary has its pods again, and proxies learn of them. */
export const hasRecovered = (release: Stepped): boolean => release?.step === 'canaryRecovered';

const BEFORE_READY: ReadonlySet<string> = new Set(['scalingUp', 'recycleRouting', 'recycleDraining', 'recycleStopping']);

/** The canary was not ready in this step yet, or its pods are stopped: a start has its own deadline (E6). */
export const isBeforeReady = ({ step }: Pick<Release, 'step'>): boolean => BEFORE_READY.has(step);

const BEFORE_SHARE: ReadonlySet<string> = new Set(['settling', 'raising', 'preRollout']);

/** The canary is ready by definition, or pods of a scale-up are not ready yet: it is not below its threshold through a fault of its own. */
export const isBeforeShare = (release: Pick<Release, 'step'>): boolean => BEFORE_SHARE.has(release.step) || isBeforeReady(release);

/** Former names of steps in a status or journal of Serin 0.1.0. */
const FORMER_STEPS: Readonly<Record<string, string>> = {
  withdrawing: 'recycleRouting',
  clearing: 'recycleDraining',
  emptying: 'recycleStopping',
  heldBack: 'canaryUnavailable',
  comingBack: 'canaryRecovered',
};

/** Current name of a recorded step. */
export const stepNow = (recorded: string): string =>
  Object.hasOwn(FORMER_STEPS, recorded) ? (FORMER_STEPS[recorded] ?? recorded) : recorded;

/** Time from which only this revision answers for the canary (E20a), or else the start of the release; epoch milliseconds. */
export const measuredFrom = ({ measuredFromMs, startedMs }: Pick<Release, 'measuredFromMs' | 'startedMs'>): number =>
  measuredFromMs ?? startedMs;
