import type { Verb } from '../../../src/api/verb-request.ts';
import type { TriedCell } from './cells.ts';
import type { PlacedCanary } from './placed-canary.ts';

/** Result of each cell: no problem, or the errors. */
export class Findings {
  readonly #errors = new Map<string, unknown>();
  readonly #tried = new Set<string>();

  /** One cell; what goes wrong is kept for the test of that cell. */
  async keep({ place }: PlacedCanary, verb: Verb, run: () => Promise<void>): Promise<void> {
    const key = `${place.name} ${verb}`;
    try {
      await run();
    } catch (error) {
      this.#errors.set(key, error);
    }
    this.#tried.add(key);
  }

  /** Throws what was wrong with it. */
  report({ place, verb }: Pick<TriedCell, 'place' | 'verb'>): void {
    const key = `${place.name} ${verb}`;
    if (!this.#tried.has(key)) throw new Error(`${key} was not tried`);
    if (this.#errors.has(key)) throw this.#errors.get(key);
  }
}
