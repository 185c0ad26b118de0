import { isDeepStrictEqual } from 'node:util';
import type { CanaryStatus } from '../../api/canary-status.ts';
import { statusOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { resumeAnnotation } from '../../api/names.ts';

interface KnownCanary {
  uid: string | undefined;
  release: { writer?: unknown } | undefined;
  /** The fields that Flagger also writes. */
  said: unknown;
}

type KnownStatus = Record<keyof CanaryStatus, unknown> & Pick<KnownCanary, 'release'>;

/** Another writer of a Canary's status: another Serin, by the name of its process, or a controller that does not know `release`. */
export type Rival = { kind: 'serin'; writer: string } | { kind: 'other' };

/**
 * Another Serin that has written nothing for so long is treated as ended: a rolling update without a lease, a restored backup. If it still runs, it is noticed
 * again at the first write of either.
 */
export const RIVAL_SILENCE_MS = 300_000;

/** A process that ended might have left one write on its way. A second write shows that the process still runs. */
const MOST_LATE_WRITES = 1;

/**
 * Notices another writer of a Canary's status. Every change of ours moves `release` and names this process. Where Flagger's fields move
 * without it, or with it gone, another controller runs this Canary; where another process signs after this one has, or goes on signing,
 * another Serin does. Of two Serins only one stands aside: writes come one after the other, and the last one's writer is not among them.
 */
export class StatusOwnership {
  readonly #writer: string;
  #known: KnownCanary | undefined;
  /** Writes of other processes since our last one. */
  #othersWrites = 0;
  /** The rival, with the resume annotation when it was seen, and its last write. */
  #aside: { rival: Rival; resume: string | undefined; release: KnownCanary['release']; heardMs: number } | undefined;

  /** `writer` names this process. */
  constructor(writer: string) {
    this.#writer = writer;
  }

  /** Judges the newest version. A rival from its first write until the resume annotation changes, another Serin until it falls silent. */
  rivalOf(canary: KubeObject, nowMs: number): Rival | undefined {
    const now = knownOf(canary);
    const before = this.#known?.uid === now.uid ? this.#known : undefined;
    if (before === undefined) this.#begin();
    else if (this.#aside) {
      if (!isDeepStrictEqual(this.#aside.release, now.release)) this.#aside = { ...this.#aside, release: now.release, heardMs: nowMs };
      const isSilent = this.#aside.rival.kind === 'serin' && nowMs - this.#aside.heardMs >= RIVAL_SILENCE_MS;
      if (!isSilent && this.#aside.resume === resumeOf(canary)) return this.#aside.rival;
      this.#begin();
    } else {
      const rival = this.#otherSerin(before, now) ?? (isForeignWrite(before, now) ? { kind: 'other' } : undefined);
      if (rival) this.#aside = { rival, resume: resumeOf(canary), release: now.release, heardMs: nowMs };
      if (rival) return rival;
    }
    this.#known = now;
    return undefined;
  }

  /** The answer of a write of ours. */
  learn(canary: KubeObject): void {
    this.#known = knownOf(canary);
    this.#othersWrites = 0;
  }

  #begin(): void {
    this.#aside = undefined;
    this.#othersWrites = 0;
  }

  #otherSerin(before: KnownCanary, now: KnownCanary): Rival | undefined {
    const writer = now.release?.writer;
    if (typeof writer !== 'string' || writer === this.#writer || isDeepStrictEqual(before.release, now.release)) return undefined;
    this.#othersWrites += 1;
    const isRival = before.release?.writer === this.#writer || this.#othersWrites > MOST_LATE_WRITES;
    return isRival ? { kind: 'serin', writer } : undefined;
  }
}

function isForeignWrite(before: KnownCanary, now: KnownCanary): boolean {
  if (before.release === undefined || isDeepStrictEqual(before.said, now.said)) return false;
  return now.release === undefined || isDeepStrictEqual(before.release, now.release);
}

function knownOf(canary: KubeObject): KnownCanary {
  const { phase, canaryWeight, failedChecks, iterations, lastAppliedSpec, lastPromotedSpec, lastTransitionTime, release } =
    statusOf<KnownStatus>(canary);
  return {
    uid: canary.metadata.uid,
    release,
    said: { phase, canaryWeight, failedChecks, iterations, lastAppliedSpec, lastPromotedSpec, lastTransitionTime },
  };
}

const resumeOf = ({ metadata }: KubeObject): string | undefined => metadata.annotations?.[resumeAnnotation];

/** Says that this Serin leaves the Canary to the other controller, and how to end that. */
export function rivalMessage(rival: Rival, writer: string): string {
  const resume = `then annotate the Canary ${resumeAnnotation} with a new value, or restart Serin`;
  if (rival.kind === 'other')
    return `another controller writes this status, so Serin leaves the Canary to it: stop the other controller and ${resume}`;
  return `another Serin, ${rival.writer}, writes this status, so ${writer} leaves the Canary to it: run one, or all with --enable-leader-election and one lease; it continues once the other Serin has written nothing for ${RIVAL_SILENCE_MS / 60_000} minutes; to continue sooner stop the other and ${resume}`;
}
