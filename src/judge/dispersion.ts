import { kept } from './ratio-evidence.ts';
import type { Counts } from './window.ts';

/** Blocks of 1, 2, 4 … windows are compared, so that bursts of up to 512 windows are seen: 43 minutes with windows of 5 s. */
export const LEVELS = 10;

/** Two neighbouring blocks of one length: the difference between them, and the block that waits for its neighbour. */
export interface Level {
  /** Number of compared pairs of neighbours. */
  pairs: number;
  /** Sum of the squared differences from an even split of the failures. */
  seen: number;
  /** Average of the same sum for Poisson failures. */
  expected: number;
  last?: Counts;
  open?: Counts;
}

/** Excess of the scatter of one side's failures from block to block over that of independent requests, by length of the blocks. */
export type Scatter = readonly Level[];

export const noScatter: Scatter = [];

/**
 * Adds the counts of a window. Only neighbours are compared: a slow drift of the rate changes little between them, and a canary that is evenly bad does not
 * scatter. Given the failures of two blocks, those of the second are binomial with its share of the requests.
 */
export function addScatter(scatter: Scatter, counts: Counts): Scatter {
  const levels = [...scatter];
  let block: Counts | undefined = counts;
  for (let index = 0; index < LEVELS && block !== undefined; index += 1) {
    const { level, whole } = addBlock(levels[index] ?? { pairs: 0, seen: 0, expected: 0 }, block);
    levels[index] = level;
    block = whole;
  }
  return levels;
}

function addBlock({ pairs, seen, expected, last, open }: Level, block: Counts): { level: Level; whole: Counts | undefined } {
  const whole = open === undefined ? undefined : sum(open, block);
  const level: Level = { pairs, seen, expected, last: block, ...(whole === undefined ? { open: block } : {}) };
  if (last === undefined) return { level, whole };
  const failures = last.failures + block.failures;
  const share = block.requests / (last.requests + block.requests);
  level.pairs = pairs + 1;
  level.seen = kept(seen + (block.failures - failures * share) ** 2);
  level.expected = kept(expected + failures * share * (1 - share));
  return { level, whole };
}

const sum = (one: Counts, other: Counts): Counts => ({
  requests: kept(one.requests + other.requests),
  failures: kept(one.failures + other.failures),
});

/** Assumption before any failure is seen, with the weight of about 40 failures: one user who tries again and again must not decide. */
const ASSUMED = { dispersion: 8, weight: 10 };

/** Traffic of both sides is alike: the canary's own scatter counts for at most this many times the scatter that the primary shows. */
const MOST_OF_PRIMARY = 5;

/**
 * The factor by which log-likelihoods are divided, 1 or more: the largest over lengths of blocks, of both sides together and of the canary by itself, so that a
 * burst that only the canary had widens the test by its own size. A canary that breaks after it was good looks like a burst that does not end: the bursts of
 * the primary limit the widening.
 * Source of the factor: quasi-likelihood (Wedderburn 1974; McCullagh and Nelder, "Generalized Linear Models", chapter 9). It is an estimate: the test is not
 * exact for clustered failures, and the study shows its error.
 */
export function dispersionOf(canary: Scatter, primary: Scatter): number {
  const most = MOST_OF_PRIMARY * largestOf(noScatter, primary).both;
  const { both, alone } = largestOf(canary, primary);
  return Math.max(1, Math.min(most, Math.max(both, alone)));
}

/**
 * The largest over lengths of blocks. Longer blocks are fewer, so that their estimate leans on that of the shorter blocks. Each estimate is raised for clusters
 * of unequal size and by its standard error.
 */
function largestOf(canary: Scatter, primary: Scatter): { both: number; alone: number } {
  const largest = { both: 1, alone: 1 };
  let [both, alone] = [ASSUMED.dispersion, 1];
  for (let index = 0; index < LEVELS; index += 1) {
    const one = canary[index];
    const other = primary[index];
    if (index > 0 && one === undefined && other === undefined) break;
    const together = joined(one ?? noLevel, other ?? noLevel);
    both = leaning(both, together);
    alone = leaning(Math.max(alone, both), one ?? noLevel);
    largest.both = Math.max(largest.both, raised(both) * margin(together.pairs));
    largest.alone = Math.max(largest.alone, raised(alone) * margin(one?.pairs ?? 0));
  }
  return largest;
}

/** One standard error of a variance: an estimate from few pairs is too low as often as too high. The assumption counts as 10 pairs. */
const margin = (pairs: number): number => 1 + Math.sqrt(2 / (pairs + ASSUMED.weight));

/** The assumption weighs as much as 10 expected failures and as 10 pairs: a single pair, of however many failures, is one draw of a chi-squared variable. */
function leaning(on: number, { pairs, seen, expected }: Sums): number {
  const weight = ASSUMED.weight * Math.max(1, expected / Math.max(1, pairs));
  return (seen + weight * on) / (expected + weight);
}

type Sums = Pick<Level, 'pairs' | 'seen' | 'expected'>;
const noLevel: Sums = { pairs: 0, seen: 0, expected: 0 };
const joined = (one: Sums, other: Sums): Sums => ({
  pairs: one.pairs + other.pairs,
  seen: one.seen + other.seen,
  expected: one.expected + other.expected,
});

/**
 * The part of a dispersion above 1 counts this many times. Divided only by the dispersion, a likelihood ratio is an e-value for clusters of one size; clusters
 * that end by chance (geometric sizes) are sometimes far larger, and need 1.5 times the excess against alternatives of 4 to 8 times.
 */
const EXCESS = 1.5;
const raised = (dispersion: number): number => (dispersion > 1 ? 1 + EXCESS * (dispersion - 1) : dispersion);
