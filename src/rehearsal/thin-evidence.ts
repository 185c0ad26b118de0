import type { Rehearsal } from './rehearsal.ts';

/** Part of the requests that a version fails which a check should not miss. Tolerated is 1 % in most examples. */
const FAILING = 0.1;
/** How often it may be missed. */
const MISSED = 0.05;

/**
 * The least number of requests with which a check is evidence. Of `n` requests to a version that fails the part `q` of them, none fails with probability
 * `(1 - q)^n` (the binomial distribution), and then the check passes. That is at most `p` from `n = ln p / ln(1 - q)` on: 29 for a tenth and one time in twenty.
 */
export const ENOUGH_REQUESTS = Math.ceil(Math.log(MISSED) / Math.log(1 - FAILING));

/**
 * Checks none of which was decided by enough requests at the modelled rate, with the most that one had. Early steps have few requests by design: a
 * release is judged on thin evidence only where no step had enough. What was not counted is not known.
 */
export function thinChecks({ moments }: Pick<Rehearsal, 'moments'>): { check: string; most: number }[] {
  const most = new Map<string, number>();
  for (const moment of moments) {
    if (moment.kind !== 'checks') continue;
    for (const { check, requests, observed } of moment.verdicts)
      if (requests !== undefined && observed !== true) most.set(check, Math.max(requests, most.get(check) ?? 0));
  }
  return [...most].filter(([, requests]) => requests < ENOUGH_REQUESTS).map(([check, requests]) => ({ check, most: requests }));
}
