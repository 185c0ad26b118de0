import type { Admission } from '../kube/fair-queue.ts';

/**
 * A key has no more turns than this part of those that are free, so that each one that comes leaves most of them: it takes dozens of keys that never end
 * a turn to have the next one wait.
 */
const PART = 1 / 8;

/** Divides what can be done at once between the keys that are there. `sure`: of each key, also beyond `total`, so that what others hold never keeps a key from these. */
export function partOfFree(total: number, sure = 0): Admission {
  let underWay = 0;
  return {
    take(own) {
      if (own >= sure && own >= (total - underWay) * PART) return Number.POSITIVE_INFINITY;
      underWay += 1;
      return 0;
    },
    ended() {
      underWay -= 1;
    },
  };
}
