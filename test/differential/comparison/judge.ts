import type { Difference } from './compare.ts';

/** A difference that is meant: the row of docs/differences.md that states it, and how it shows. */
export interface Claim {
  id: `DF${number}`;
  /** True of the differences that the row explains, and of no others. */
  explains(difference: Difference): boolean;
}

export interface Judgement {
  /** Defects: no row states them. */
  unclaimed: Difference[];
  claimed: { id: string; difference: Difference }[];
  /** Ids of claims that the page does not have. */
  unknownIds: string[];
  /** Ids whose claims explained nothing in this run. */
  idleIds: string[];
}

/** Sorts differences into those of a row in docs/differences.md and unclaimed differences. */
export function judge(differences: readonly Difference[], claims: readonly Claim[], knownIds: ReadonlySet<string>): Judgement {
  const known = claims.filter(({ id }) => knownIds.has(id));
  const sorted = differences.map((difference) => ({ difference, id: known.find((claim) => claim.explains(difference))?.id }));
  const claimed = sorted.flatMap(({ id, difference }) => (id === undefined ? [] : [{ id, difference }]));
  const ids = [...new Set(claims.map(({ id }) => id))];
  return {
    unclaimed: sorted.flatMap(({ id, difference }) => (id === undefined ? [difference] : [])),
    claimed,
    unknownIds: ids.filter((id) => !knownIds.has(id)),
    idleIds: ids.filter((id) => !claimed.some((one) => one.id === id)),
  };
}

/** The ids of the rows of docs/differences.md. */
export function idsIn(differencesPage: string): Set<string> {
  return new Set(Array.from(differencesPage.matchAll(/^\| (DF\d+) \|/gm), ([, id = '']) => id));
}
