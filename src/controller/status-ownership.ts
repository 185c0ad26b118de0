import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../api/kube-object.ts';
import { resumeAnnotation } from '../api/names.ts';

interface Known {
  uid: string | undefined;
  release: unknown;
  /** What the established fields said. */
  said: unknown;
}

/**
 * Tells whether someone else writes a Canary's status. Every change of ours moves `release`; where the established fields move without it,
 * or with it gone, another controller runs this Canary, and two must not. Sentences and foreign conditions say nothing of that.
 */
export class StatusOwnership {
  #known: Known | undefined;
  /** Since another was seen: what the resume annotation said then. */
  #aside: { resume: string | undefined } | undefined;

  /** Looks at the newest version. True from the first foreign write until a person says that it is over. */
  isContested(canary: KubeObject): boolean {
    const now = knownOf(canary);
    const before = this.#known?.uid === now.uid ? this.#known : undefined;
    if (before === undefined) this.#aside = undefined;
    else if (this.#aside) {
      if (this.#aside.resume === resumeOf(canary)) return true;
      this.#aside = undefined;
    } else if (isForeignWrite(before, now)) {
      this.#aside = { resume: resumeOf(canary) };
      return true;
    }
    this.#known = now;
    return false;
  }

  /** The answer of a write of ours. */
  learn(canary: KubeObject): void {
    this.#known = knownOf(canary);
  }
}

function isForeignWrite(before: Known, now: Known): boolean {
  if (before.release === undefined || isDeepStrictEqual(before.said, now.said)) return false;
  return now.release === undefined || isDeepStrictEqual(before.release, now.release);
}

function knownOf({ metadata, status = {} }: KubeObject): Known {
  const { phase, canaryWeight, failedChecks, iterations, lastAppliedSpec, lastPromotedSpec, lastTransitionTime, release } = status;
  return {
    uid: metadata.uid,
    release,
    said: { phase, canaryWeight, failedChecks, iterations, lastAppliedSpec, lastPromotedSpec, lastTransitionTime },
  };
}

const resumeOf = ({ metadata }: KubeObject): string | undefined => metadata.annotations?.[resumeAnnotation];
