import type { Admission } from '../../kube/fair-queue.ts';

export interface PartOfFree {
  total: number;
  /** A key has no more turns than this part of the free ones, so that each new key leaves most of them. Default: an eighth. */
  part?: number | undefined;
  /** Sure turns of each key, also beyond `total`, so that turns of others never keep a key from these. Default: none. */
  sure?: number | undefined;
}

/** Divides concurrent work between the current keys. */
export function partOfFree({ total, part = 1 / 8, sure = 0 }: PartOfFree): Admission {
  let underWay = 0;
  return {
    take(own) {
      if (own >= sure && own >= (total - underWay) * part) return Number.POSITIVE_INFINITY;
      underWay += 1;
      return 0;
    },
    ended() {
      underWay -= 1;
    },
  };
}
