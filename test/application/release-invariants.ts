import type { Break } from './invariants.ts';
import type { Action } from './life.ts';
import type { ApplicationWorld, CanaryView, Pace } from './world.ts';

/** All requests, in percent. */
const ALL = 100;
const SETTLED = new Set(['Initialized', 'Succeeded']);
const ENDS = new Set(['Succeeded', 'Failed']);

interface Moment {
  canaries: readonly CanaryView[];
  passedMs: number;
  isUp: boolean;
}

/** Checks a Canary's statements about its release, and Serin's writes for it, against I1, I6 and I8; and finds stalls without a known reason. */
export class ReleaseInvariants {
  readonly #world: ApplicationWorld;
  readonly #pace: Pace;
  readonly #break: (invariant: Break['invariant'], text: string) => void;
  /** Current state by Canary, and the time in it. */
  readonly #standing = new Map<string, { at: string; forMs: number }>();
  /** Ends by Canary and run. */
  readonly #ends = new Map<string, string>();
  /** Serin was killed when all was quiet, and nothing else has happened since. */
  #isRestart = false;
  #unnoticedMs = 0;

  constructor(world: ApplicationWorld, onBreak: (invariant: Break['invariant'], text: string) => void) {
    this.#world = world;
    this.#pace = world.pace;
    this.#break = onBreak;
  }

  /** `wasQuiet`: nothing has happened to the resting Canary for a while. */
  acted(action: Action, wasQuiet: boolean): void {
    this.#standing.clear();
    this.#unnoticedMs = 0;
    this.#isRestart = action.do === 'kill Serin' && action.selectorLabels === undefined && wasQuiet;
  }

  look({ canaries, passedMs, isUp }: Moment, written: readonly string[]): void {
    this.#weights();
    this.#ended(canaries);
    this.#restarted(canaries, written);
    this.#stalled({ canaries, passedMs, isUp });
    this.#noticed({ canaries, passedMs, isUp });
  }

  #weights(): void {
    for (const { route, percents } of this.#world.shares()) {
      const isWhole = percents.every((one) => Number.isInteger(one) && one >= 0);
      const sum = percents.reduce((all, one) => all + one, 0);
      if (!isWhole || sum !== ALL) this.#break('I1', `Weights of ${route} are ${percents.join(' and ')}, and not ${ALL} in all.`);
    }
  }

  #ended(canaries: readonly CanaryView[]): void {
    for (const { uid, run, phase, step, name } of canaries) {
      if (!ENDS.has(phase) || step !== 'resting') continue;
      const key = `${uid}/${run}`;
      const before = this.#ends.get(key);
      if (before !== undefined && before !== phase)
        this.#break('I6', `Release ${run} of ${name} ended as ${before}, and then as ${phase}.`);
      this.#ends.set(key, phase);
    }
  }

  #restarted(canaries: readonly CanaryView[], written: readonly string[]): void {
    const isResting = canaries.length === 1 && canaries.every(({ step }) => step === 'resting');
    if (!isResting) this.#isRestart = false;
    if (this.#isRestart && written.length > 0) this.#break('I8', `A restart over a resting Canary writes: ${written.join(', ')}.`);
  }

  /** A release, a deletion or a start that has stalled past its deadline must report a reason. */
  #stalled({ canaries, passedMs, isUp }: Moment): void {
    for (const [uid] of this.#standing) if (!canaries.some((one) => one.uid === uid)) this.#standing.delete(uid);
    for (const { uid, name, standing, isSuspended, isExplained, step, phase, isDeleting } of canaries) {
      const before = this.#standing.get(uid);
      const isIdle = !isDeleting && step === 'resting';
      const isCounted = isUp && !isSuspended && !isExplained && !isIdle;
      const forMs = isCounted && before?.at === standing ? before.forMs + passedMs : 0;
      this.#standing.set(uid, { at: standing, forMs });
      if (forMs > this.#pace.stallMs)
        this.#break(
          'no stall',
          `${name} has stood still for ${forMs / 1_000} s (${phase || 'no phase'} ${step}${isDeleting ? ', deleting' : ''}), and no condition or blocker says why.`,
        );
    }
  }

  /** A version that is pushed to a resting Canary must be analysed. */
  #noticed({ canaries, passedMs, isUp }: Moment): void {
    const { target, primary } = this.#world.held();
    const [only] = canaries;
    const isCounted =
      isUp &&
      canaries.length === 1 &&
      only !== undefined &&
      !only.isDeleting &&
      !only.isSuspended &&
      !only.isExplained &&
      SETTLED.has(only.phase) &&
      only.step === 'resting' &&
      target !== undefined &&
      primary !== undefined &&
      target !== primary;
    this.#unnoticedMs = isCounted ? this.#unnoticedMs + passedMs : 0;
    if (this.#unnoticedMs > this.#pace.stallMs)
      this.#break('no stall', `${only?.name} rests as ${only?.phase} though the target holds ${target} and the primary ${primary}.`);
  }
}
