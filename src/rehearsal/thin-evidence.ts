import type { Rehearsal } from './rehearsal.ts';

/** A check should detect a version that fails this fraction of requests. Most examples tolerate 1%. */
const FAILING = 0.1;
/** Accepted probability that a check misses it. */
const MISSED = 0.05;

/**
 * Minimum of requests with which a check is evidence. Of `n` requests to a version that fails the fraction `q` of them, none fails with probability `(1 - q)^n`
 * (the binomial distribution), and then the check passes. That is at most `p` from `n = ln p / ln(1 - q)` on: 29 for a tenth and one time in twenty.
 */
export const ENOUGH_REQUESTS = Math.ceil(Math.log(MISSED) / Math.log(1 - FAILING));

/**
 * Checks that never had enough requests at the modelled rate, with the maximum that each had. Early steps have few requests by design: a release has thin
 * evidence only if no step had enough. A check whose requests were not counted is left out.
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
