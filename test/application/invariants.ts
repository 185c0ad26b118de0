import type { Action } from './life.ts';
import { ReleaseInvariants } from './release-invariants.ts';
import type { Acted, Answer, ApplicationWorld, CanaryView, Pace } from './world.ts';

export interface Break {
  invariant: 'I1' | 'I3' | 'I6' | 'I7' | 'I8' | 'I18' | 'I19' | 'I20' | 'no stall';
  atMs: number;
  /** Text for a reader who does not know the tests. */
  text: string;
}

/** Threshold of the Canary of these lives, in each world. */
export const THRESHOLD = 2;
/** Time for Serin to revert one write of another writer: a pause of the brake, Serin's writes, and the lag of the proxies. */
const PUT_BACK_MS = 10_000;

/** The longest pause of the brake. */
const LONGEST_PAUSE_MS = 300_000;

const GIVEN_BY = new Set(['Promoting', 'Finalising', 'Succeeded']);
const ANALYSING = new Set(['Progressing', 'Waiting', 'WaitingPromotion', 'Promoting', 'Finalising']);
const LEAVING = new Set(['returningTraffic', 'draining']);
const RESTING = new Set(['Initialized', 'Succeeded', 'Failed']);

type Held = ReturnType<ApplicationWorld['held']>;

/** Time for failed checks to end a release: `THRESHOLD` checks, a check that was already running, and the rollback. */
const failingMs = ({ intervalMs, graceMs }: Pace): number => (THRESHOLD + 1) * intervalMs + graceMs;

interface Run {
  id: string;
  crashes: number;
  lastCrashMs: number;
  unreadyMs: number;
  drains: number;
  /** Versions that its target had. */
  versions: Set<string>;
}

/** Holds what clients are answered, and what Serin writes, against the invariants. It knows of the world only what users see. */
export class Invariants {
  readonly breaks: Break[] = [];
  readonly #world: ApplicationWorld;
  readonly #pace: Pace;
  /** Versions that users may get: promoted, or pushed without a Canary between push and users. */
  readonly #given = new Set<string>();
  /** When each version was last analysed; in milliseconds for which Serin ran. */
  readonly #analysed = new Map<string, number>();
  /** Versions by the uid of a Canary. */
  readonly #analysedBy = new Map<string, Set<string>>();
  #upMs = 0;
  #lastMs: number;
  #failingMs = 0;
  #quietMs = 0;
  #isForeign = false;
  #isTaken = false;
  /** At some moment each path led to an answer. */
  #hasAnswered = false;
  #excusedUntilMs = 0;
  /** Until Serin has run for this time, users can still follow another writer's change. */
  #ledAwayUntilMs = 0;
  /** Until then what another writer changes is corrected, at rest too. */
  #contestedUntilMs = 0;
  #run: Run | undefined;
  #lastCrashMs = Number.NEGATIVE_INFINITY;
  /** Text of a break of I3 by version of the primary, unless the current action gives the version to users. */
  readonly #suspected = new Map<string, string>();
  readonly #releases: ReleaseInvariants;

  constructor(world: ApplicationWorld) {
    this.#world = world;
    this.#pace = world.pace;
    this.#lastMs = world.nowMs();
    this.#releases = new ReleaseInvariants(world, (invariant, text) => this.#break(invariant, text));
    const { target } = world.held();
    if (target !== undefined) this.#given.add(target);
  }

  /** An action was done. */
  acted(action: Action, acted: Acted, before: readonly CanaryView[]): void {
    const { pushed, isTaken, isInstalled, isForeign, isLedAway, isAccepted, isRestored } = acted;
    this.#releases.acted(action, this.#quietMs > this.#pace.quietMs);
    this.#quietMs = 0;
    this.#failingMs = 0;
    if (pushed !== undefined && (isInstalled || !before.some(standsBetween))) this.#given.add(pushed);
    const { target } = this.#world.held();
    if (isAccepted && target !== undefined) this.#given.add(target);
    this.#isForeign ||= isForeign === true;
    this.#isTaken = isRestored !== true && (this.#isTaken || isTaken === true);
    this.#hasAnswered &&= isRestored !== true;
    if (isLedAway) {
      this.#ledAwayUntilMs = this.#upMs + PUT_BACK_MS;
      this.#contestedUntilMs = Math.max(this.#contestedUntilMs, this.#world.nowMs() + LONGEST_PAUSE_MS);
    }
    if (action.do === 'contest') this.#contestedUntilMs = this.#world.nowMs() + action.forMs + LONGEST_PAUSE_MS;
    // Its users are on the target until a Canary has taken the traffic.
    const { crashGraceMs, graceMs } = this.#pace;
    if (action.do === 'relabel the target')
      this.#excusedUntilMs = this.#world.nowMs() + (before.some(standsBetween) ? crashGraceMs : graceMs);
  }

  /** Follows the releases in the middle of an action, of which it is not known yet what it means for the clients. */
  follow(): { canaries: readonly CanaryView[]; passedMs: number; isUp: boolean } {
    const nowMs = this.#world.nowMs();
    const passedMs = nowMs - this.#lastMs;
    this.#lastMs = nowMs;
    const isUp = this.#world.isSerinUp();
    if (isUp) this.#upMs += passedMs;
    const canaries = this.#world.canaries();
    const held = this.#world.held();
    // With neither, its user has uninstalled it, also where a backup has brought back what was left of it.
    this.#isTaken ||= held.target === undefined && canaries.length === 0;
    // Changes by hand stay as long as the Canary is suspended.
    if (this.#upMs < this.#ledAwayUntilMs && canaries.some(({ isSuspended }) => isSuspended))
      this.#ledAwayUntilMs = this.#upMs + PUT_BACK_MS;
    this.#note(canaries, held);
    this.#follow(canaries, held, isUp);
    return { canaries, passedMs, isUp };
  }

  /** Looks at this moment. */
  look(): void {
    const { canaries, passedMs, isUp } = this.follow();
    this.#judgeSuspected();
    const answers = this.#world.ask();
    this.#hasAnswered ||= answers.every((answer) => 'version' in answer);
    for (const answer of answers) this.#judge(answer);
    this.#failing(answers, canaries, passedMs, isUp);
    this.#contested(canaries);
    const written = this.#world.written();
    this.#releases.look({ canaries, passedMs, isUp }, written);
    this.#idle(canaries, passedMs, isUp, written);
  }

  #break(invariant: Break['invariant'], text: string): void {
    if (!this.breaks.some((one) => one.text.slice(0, 40) === text.slice(0, 40))) this.breaks.push({ invariant, atMs: this.#lastMs, text });
  }

  #note(canaries: readonly CanaryView[], { target }: Held): void {
    for (const { uid, phase, step, isDeleting } of canaries) {
      // A push while proxies still learn the end of the previous release is the user's own responsibility.
      if (isDeleting || target === undefined || !(ANALYSING.has(phase) || (phase !== 'Initializing' && LEAVING.has(step)))) continue;
      // Pods of a superseded version serve until the pods of the next version are ready.
      const superseded = this.#analysedBy.get(uid) ?? new Set<string>();
      this.#analysedBy.set(uid, superseded.add(target));
      for (const version of superseded) this.#analysed.set(version, this.#upMs);
    }
  }

  /** I19 and I7: one answer. */
  #judge(answer: Answer): void {
    // This also holds while users are led away: proxies learn of ready pods after that time.
    if ('lost' in answer && answer.isPodsFault) this.#excusedUntilMs = this.#lastMs + this.#pace.crashGraceMs;
    if (this.#upMs < this.#ledAwayUntilMs) return;
    if ('lost' in answer) {
      if (!this.#hasAnswered || this.#isTaken || this.#lastMs < this.#excusedUntilMs) return;
      this.#break('I7', `A request was lost though no pod of the application had failed: ${answer.lost}.`);
      return;
    }
    const { version, by } = answer;
    if (this.#given.has(version)) return;
    const analysedMs = this.#analysed.get(version);
    if (analysedMs !== undefined && this.#upMs - analysedMs <= this.#pace.graceMs) return;
    const known =
      analysedMs === undefined ? 'was never analysed' : `was last analysed ${Math.round((this.#upMs - analysedMs) / 1000)} s ago`;
    this.#break('I19', `A client was answered by version ${version} (${by}), which was never promoted and ${known}.`);
  }

  /** I3: no action is under way whose meaning is not known yet. */
  #judgeSuspected(): void {
    for (const [version, text] of this.#suspected) if (!this.#given.has(version)) this.#break('I3', text);
    this.#suspected.clear();
  }

  /** I18: a version that fails its checks goes in time. */
  #failing(answers: readonly Answer[], canaries: readonly CanaryView[], passedMs: number, isUp: boolean): void {
    const isAnswering = answers.some((one) => 'version' in one && one.version.startsWith('bad-') && !this.#given.has(one.version));
    const isHeld = !isUp || canaries.some(({ isSuspended }) => isSuspended) || canaries.length !== 1;
    this.#failingMs = isAnswering && !isHeld ? this.#failingMs + passedMs : 0;
    if (this.#failingMs > failingMs(this.#pace))
      this.#break(
        'I18',
        `A version whose every check fails still has users after ${this.#failingMs / 1000} s: check or rollback is delayed.`,
      );
  }

  #contested(canaries: readonly CanaryView[]): void {
    if (this.#isForeign) return;
    for (const { name, contested } of canaries)
      if (contested !== undefined) this.#break('I18', `Contested, though only Serin wrote its objects: ${name}: ${contested}`);
  }

  #idle(canaries: readonly CanaryView[], passedMs: number, isUp: boolean, written: readonly string[]): void {
    const isResting = isUp && canaries.length === 1 && canaries.every(({ phase, step }) => RESTING.has(phase) && step === 'resting');
    if (isResting && !this.#isTaken && this.#quietMs > this.#pace.quietMs && written.length > 0)
      this.#break('I18', `An idle Canary writes: ${written.join(', ')}.`);
    this.#quietMs = isResting && this.#lastMs >= this.#contestedUntilMs ? this.#quietMs + passedMs : 0;
  }

  /** I20: what crashes in an analysis is not promoted; what is drained is not failed. */
  #follow(canaries: readonly CanaryView[], { target = '', primary }: Held, isUp: boolean): void {
    const failed = this.#world.failed();
    if (failed.length > 0) this.#quietMs = 0;
    const canary = canaries.find(({ phase, isDeleting }) => !isDeleting && (ANALYSING.has(phase) || RESTING.has(phase)));
    if (canary === undefined) {
      this.#run = undefined;
      return;
    }
    const { phase, step } = canary;
    const id = `${canary.uid}/${canary.run}`;
    if (this.#run?.id !== id)
      this.#run = { id, crashes: 0, lastCrashMs: -this.#pace.intervalMs, unreadyMs: 0, drains: 0, versions: new Set() };
    const run = this.#run;
    const isCounted = phase === 'Progressing' && step === 'analysing' && isUp && !canary.isSuspended;
    if (phase === 'Progressing') run.versions.add(target);
    for (const { side, how, atMs, forMs } of failed) {
      if (how === 'crash') this.#lastCrashMs = atMs;
      if (side !== 'target') continue;
      if (how === 'drain') run.drains += 1;
      else if (isCounted) countCrash(run, { atMs, forMs, intervalMs: this.#pace.intervalMs });
    }
    this.#drained(canary, run);
    if (!GIVEN_BY.has(phase) && phase !== 'Initializing' && primary !== undefined && !this.#given.has(primary))
      this.#suspected.set(primary, `The primary holds version ${primary}, which was never promoted (${phase} ${step}).`);
    if (!GIVEN_BY.has(phase) || primary === undefined || !run.versions.has(primary) || this.#given.has(primary)) return;
    this.#given.add(primary);
    const what = `Version ${primary} was promoted though its pods`;
    const crashes = run.crashes - (this.#lastMs - run.lastCrashMs < this.#pace.reactionMs ? 1 : 0);
    if (crashes >= THRESHOLD)
      this.#break(
        'I20',
        `${what} crashed after they were ready in ${crashes} intervals of the analysis; ${THRESHOLD} failed checks end a release.`,
      );
    if (run.unreadyMs > this.#pace.deadlineMs)
      this.#break(
        'I20',
        `${what} were not ready for ${run.unreadyMs / 1000} s of the analysis in all; the deadline is ${this.#pace.deadlineMs / 1000} s.`,
      );
  }

  /** If only drains have happened to a good version, no check fails. */
  #drained({ phase, failedChecks }: CanaryView, { drains, versions }: Run): void {
    if (phase !== 'Progressing' || drains === 0 || failedChecks === 0) return;
    if (this.#lastMs - this.#lastCrashMs < this.#pace.deadlineMs || [...versions].some((version) => !version.startsWith('good-'))) return;
    this.#break('I20', `${drains} drains of the pods of ${[...versions].join(', ')} counted as ${failedChecks} failed checks.`);
  }
}

function countCrash(run: Run, { atMs, forMs, intervalMs }: { atMs: number; forMs: number; intervalMs: number }): void {
  run.unreadyMs += forMs;
  // A crash in the interval of the last crash does not count, whenever that interval ended.
  if (atMs - run.lastCrashMs < 2 * intervalMs) return;
  run.crashes += 1;
  run.lastCrashMs = atMs;
}

/** A Canary has taken the traffic: what is pushed comes to users by its releases only. */
function standsBetween({ isDeleting, phase }: CanaryView): boolean {
  return !isDeleting && phase !== '' && phase !== 'Initializing';
}
