/**
 * The fewest and the most successes in `n` independent tries of probability `p` (0–1) that are still believed: fewer come with a
 * probability of at most `alpha / 2`, and so do more. Exact: the terms are summed from the outside, smallest first.
 */
export function binomialBounds(n: number, p: number, alpha: number): { least: number; most: number } {
  if (p <= 0) return { least: 0, most: 0 };
  if (p >= 1) return { least: n, most: n };
  return { least: fewest(n, p, alpha / 2), most: n - fewest(n, 1 - p, alpha / 2) };
}

function fewest(n: number, p: number, tail: number): number {
  let logTerm = n * Math.log1p(-p);
  let sum = 0;
  for (let k = 0; k < n; k += 1) {
    sum += Math.exp(logTerm);
    if (sum > tail) return k;
    logTerm += Math.log((n - k) / (k + 1)) + Math.log(p) - Math.log1p(-p);
  }
  return n;
}
