import type { CanaryStatus, Delivery } from '../../api/canary-status.ts';

/**
 * True if a later status of the commit exists: it must not be sent any more, since forges show the status that arrives last. The beginning of a
 * release is replaced by its end, and everything of a release by a later release of the same commit.
 */
export function isOvertaken(status: CanaryStatus | undefined, { outcome, alert }: Delivery): boolean {
  const { release } = status ?? {};
  const { details } = alert ?? {};
  if (release === undefined || details === undefined) return false;
  const isBeginning = outcome === undefined && alert?.reason !== 'Initialized';
  if (details.release === release.run) return isBeginning && release.ending !== undefined;
  return details.release < release.run && (isBeginning || details.commit === release.commit);
}

/** Runs the works of one key one after another. Nothing is kept of a key without work. */
export class KeyedTurns {
  readonly #last = new Map<string, Promise<unknown>>();

  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#last.set(key, mine);
    const end = () => {
      if (this.#last.get(key) === mine) this.#last.delete(key);
    };
    mine.then(end, end);
    return mine;
  }
}
