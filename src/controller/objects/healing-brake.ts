import { keptIn } from '../../base/once.ts';

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 300_000;
/** Contested fields of one object that are known apart. */
const MOST_FIELDS = 20;

/** A write that did not hold, and who undid it. */
export interface Undoing {
  /** The first one. */
  field: string;
  /** `another` has written since our own write was answered; `server`: the answer itself did not hold the field. */
  by: 'another' | 'server';
  /** Name of the other writer, or the server's reason. */
  who?: string;
}

/** A clause: what became of a field that was written. */
export function undoneText({ field, by, who }: Undoing): string {
  if (by === 'another') return `${field} is changed back by ${who ?? 'another writer'}`;
  return `${field} does not hold, since the API server or an admission webhook drops it${who === undefined ? '' : ` (${who})`}`;
}

/** A change of an object by another writer, and its correction. */
export interface Correction extends Pick<Undoing, 'who'> {
  key: string;
  /** `undefined` if the object was deleted. */
  field?: string;
  /** The object is a route of the user's: only the application in it is split again. */
  isKept?: boolean;
}

/** A clause. */
export function correctionText({ field, who, isKept = false }: Omit<Correction, 'key'>): string {
  if (field === undefined) return 'it was deleted, and Serin has made it again';
  const changed = `${field} was changed${who === undefined ? '' : ` by ${who}`}`;
  return isKept ? `${changed}: Serin splits the application in it again, and keeps all else` : `${changed}, and Serin has put it back`;
}

interface Contest extends Undoing {
  fields: ReadonlySet<string>;
  corrections: number;
  pausedUntilMs: number;
  isRoute: boolean;
}

/**
 * Keeps healing from becoming a fight (docs/internals.md, "Healing has a brake"). The first correction of an object is immediate; when the same
 * drift comes back, the next ones wait 1 s, 2 s, 4 s … up to 5 min. It calms down after twice the longest pause without drift. The pause
 * of one field delays no other (I18).
 */
export class HealingBrake {
  readonly #contests = new Map<string, Contest>();
  /** Corrections of changes by another writer that were not reported yet, and the times of reported ones, by object and field. */
  #news: Correction[] = [];
  readonly #reportedMs = new Map<string, Map<string, number>>();

  readonly #longestSelectorPauseMs: number;

  /** `longestSelectorPauseMs`: of a selector of a Service, by which users can reach no pod at all. Default: as of any other field. */
  constructor({ longestSelectorPauseMs = LONGEST_PAUSE_MS } = {}) {
    this.#longestSelectorPauseMs = longestSelectorPauseMs;
  }

  /** Milliseconds to wait before these fields can be corrected. 0 is now. Call `corrected` after the correction. */
  waitMs(key: string, nowMs: number, fields: readonly string[] = []): number {
    const contest = this.#contests.get(key);
    if (contest === undefined) return 0;
    if (nowMs > contest.pausedUntilMs + 2 * LONGEST_PAUSE_MS) {
      this.#contests.delete(key);
      return 0;
    }
    // Other writers can name their own keys, each of which is a field.
    const isAnother = contest.fields.size < MOST_FIELDS && fields.some((field) => !contest.fields.has(field));
    return isAnother ? 0 : Math.max(0, contest.pausedUntilMs - nowMs);
  }

  /** `isRoute`: users reach one side or the other by it. `fields`: all that were undone. `isKept`: as in the correction. */
  corrected(
    key: string,
    nowMs: number,
    undone: Undoing,
    { isRoute = false, fields = [undone.field] as readonly string[], isKept = false } = {},
  ): void {
    const isSelector = isRoute && fields.some((field) => field.startsWith('spec.selector'));
    const before = this.#contests.get(key);
    const corrections = (before?.corrections ?? 0) + 1;
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (corrections - 1), isSelector ? this.#longestSelectorPauseMs : LONGEST_PAUSE_MS);
    const known = new Set([...(before?.fields ?? []), ...fields].slice(0, MOST_FIELDS));
    this.#contests.set(key, { ...undone, fields: known, corrections, pausedUntilMs: nowMs + pauseMs, isRoute });
    if (isRoute) this.#endTogether(nowMs);
    if (undone.by === 'another') this.#note({ key, ...undone, ...(isKept && { isKept }) }, nowMs);
  }

  /** Notes that the application is split again in a route that its user has edited: no one has undone anything. */
  splitAgain(key: string, nowMs: number, { field, by, who }: Undoing): void {
    if (by === 'another') this.#note({ key, field, ...(who !== undefined && { who }), isKept: true }, nowMs);
  }

  /** Notes that a deleted object was created again: without a pause, since users can need it. */
  madeAgain(key: string, nowMs: number): void {
    this.#note({ key }, nowMs);
  }

  /** The first corrections since the last call, each object and field once in the time that it takes to calm down. */
  takeNews(): readonly Correction[] {
    const news = this.#news;
    this.#news = [];
    return news;
  }

  #note(corrected: Correction, nowMs: number): void {
    const { key, field = '' } = corrected;
    const reported = keptIn(this.#reportedMs, key, () => new Map<string, number>());
    const reportedMs = reported.get(field);
    reported.set(field, nowMs);
    if (reportedMs === undefined || nowMs > reportedMs + 2 * LONGEST_PAUSE_MS) this.#news.push(corrected);
  }

  /** No correction has been made that could be undone again. */
  get isReleased(): boolean {
    return this.#contests.size === 0;
  }

  /** Corrections that another writer has undone: the second one on. */
  contested(): ({ key: string } & Undoing)[] {
    return [...this.#contests]
      .filter(([, { by, corrections }]) => by === 'another' && corrections > 1)
      .map(([key, contest]) => ({ key, ...contest }));
  }

  /** Writes that the API server itself does not keep. */
  dropped(): ({ key: string } & Undoing)[] {
    return [...this.#contests].filter(([, { by }]) => by === 'server').map(([key, contest]) => ({ key, ...contest }));
  }

  /** A release step of our own changed what is wanted: what others did before says nothing about it, and what they do after it is news. */
  forget(key: string): void {
    this.#contests.delete(key);
    this.#reportedMs.delete(key);
  }

  /**
   * The pauses of contested routes end with the first of them, and none is made longer: or a release would wait for ever for all of them to hold
   * together.
   */
  #endTogether(nowMs: number): void {
    const open = [...this.#contests.values()].filter(({ isRoute, pausedUntilMs }) => isRoute && pausedUntilMs > nowMs);
    const firstMs = Math.min(...open.map(({ pausedUntilMs }) => pausedUntilMs));
    for (const contest of open) contest.pausedUntilMs = firstMs;
  }
}

/** The last requests by object, and the brake of their corrections. */
export interface Wanted {
  wanted: Map<string, string>;
  brake: HealingBrake;
}

/** Forgets a write that is no longer wanted: to write the same again later corrects no other writer. */
export function forgetWanted({ wanted, brake }: Wanted, key: string): void {
  wanted.delete(key);
  brake.forget(key);
}
