/** A check that an attacker meets, and how it is taken out: a test of `tests` has to turn red. */
export interface RemovedCheck {
  /** Item of issue 44. */
  item: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;
  check: string;
  /** In the repository. */
  file: string;
  /** Occurs exactly once in the file. */
  find: string;
  replace: string;
  tests: readonly string[];
}

/** Checks of one file, which the same tests try. */
export const checksOf =
  (item: RemovedCheck['item'], file: string, ...tests: string[]) =>
  (check: string, find: string, replace = ''): RemovedCheck => ({ item, check, file, find, replace, tests });
