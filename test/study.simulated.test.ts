import { describe, expect, it } from 'vitest';
import { seededRandom } from '../src/embedded/mesh/random.ts';
import { binomialBounds } from './fakes/binomial.ts';
import { type Cell, nullCells, paceOf, powerCells, shortBadCells, shortNullCells } from './study/cells.ts';
import { argo, type Decider, fixedHorizon, flagger, kayenta, peeking } from './study/deciders.ts';
import { Draws } from './study/draws.ts';
import { latencyCells, TOLERATED_SLOWNESS } from './study/latency-traffic.ts';
import { mannWhitneyInterval } from './study/mann-whitney.ts';
import { type Outcomes, playCell, playLatency, playShort } from './study/play.ts';
import { readResults, writeResults } from './study/results.ts';

/** A chance that no seed of this test meets by itself. */
const NEVER = 1e-6;
const FALSE_ALARM = 0.01;
const SEED = 3;

const everyNth = <T>(cells: readonly T[], n: number): T[] => cells.filter((_, index) => index % n === 0);
const totalOf = (played: readonly Outcomes[], name: keyof Outcomes, count: 'rolledBack' | 'promoted' | 'undecided'): number =>
  played.reduce((sum, outcomes) => sum + (outcomes[name]?.[count] ?? 0), 0);

describe('a sample of the study', () => {
  it('has false rollbacks of 1% at most, for every kind of failures, in each cell and in all', () => {
    const cells = everyNth(nullCells(20), 5);
    const played = cells.map((cell) => playCell(cell, { goesOn: true, seed: SEED }));
    const releases = cells.reduce((sum, cell) => sum + cell.releases, 0);
    expect(totalOf(played, 'serin', 'rolledBack')).toBeLessThanOrEqual(binomialBounds(releases, FALSE_ALARM, NEVER).most);
    const most = binomialBounds(20, FALSE_ALARM, NEVER / cells.length).most;
    expect(cells.filter((_, index) => (played[index]?.serin?.rolledBack ?? 0) > most)).toEqual([]);
    expect(new Set(cells.map(({ kind }) => kind)).size).toBe(8);
  });

  it('also has them in windows of 5 s and 15 s, and where the sides are scraped at other moments', () => {
    const all = shortNullCells(10);
    const hardest = all.filter((cell) => cell.kind === 'users' && paceOf(cell) === '5 s');
    const cells = [...everyNth(all, 20), ...everyNth(hardest, 2)];
    const played = cells.map((cell) => playShort(cell, { goesOn: true, seed: SEED }));
    const releases = cells.reduce((sum, cell) => sum + cell.releases, 0);
    expect(totalOf(played, 'serin', 'rolledBack')).toBeLessThanOrEqual(binomialBounds(releases, FALSE_ALARM, NEVER).most);
    expect(new Set(cells.map(paceOf)).size).toBe(3);
  });

  const allFail = shortBadCells(5).filter(
    ({ effect, base, rps, kind }) => effect * base === 1 && base === 0.0005 && rps === 100 && kind === 'independent',
  );
  it.each(allFail.map((cell) => ({ pace: paceOf(cell), cell })))(
    'rolls back after three windows of $pace when all requests fail',
    ({ cell }) => {
      const { serin } = playShort(cell, { goesOn: false, seed: SEED });
      expect(serin).toMatchObject({ rolledBack: 5, minutesToRollback: (3 * (cell.scrapeSeconds ?? cell.windowSeconds)) / 60 });
    },
  );

  it('finds versions that are ten times worse, which fixed thresholds promote', () => {
    const cells = powerCells(10).filter(
      ({ effect, base, kind, rps }) => effect === 10 && base === 0.0005 && kind === 'independent' && rps >= 100,
    );
    const played = cells.map((cell) => playCell(cell, { goesOn: false, seed: SEED }));
    const releases = cells.reduce((sum, cell) => sum + cell.releases, 0);
    expect(totalOf(played, 'serin', 'promoted')).toBeLessThanOrEqual(binomialBounds(releases, FALSE_ALARM, NEVER).most);
    expect(totalOf(played, 'serin', 'rolledBack')).toBeGreaterThanOrEqual(releases - binomialBounds(releases, FALSE_ALARM, NEVER).most);
    expect(totalOf(played, 'flagger', 'promoted')).toBeGreaterThan(releases * 0.9);
    expect(totalOf(played, 'argo', 'promoted')).toBe(releases);
  });

  it('does not roll back for latencies within what is tolerated, and finds those beyond', () => {
    const within = latencyCells(10).filter(({ slower, rps }) => slower <= TOLERATED_SLOWNESS && rps >= 100);
    const quiet = within.map((cell) => playLatency(cell, { goesOn: true, seed: SEED }));
    const releases = within.reduce((sum, cell) => sum + cell.releases, 0);
    expect(totalOf(quiet, 'serin', 'rolledBack')).toBeLessThanOrEqual(binomialBounds(releases, FALSE_ALARM, NEVER).most);
    const slow = latencyCells(10).filter(({ slower, rps }) => slower === 10 && rps === 100);
    const played = slow.map((cell) => playLatency(cell, { goesOn: false, seed: SEED }));
    expect(totalOf(played, 'serin', 'rolledBack')).toBe(20);
  });

  it('is the same for the same seed', () => {
    const cell: Cell = { rps: 10, base: 0.005, effect: 3, kind: 'users', strategy: 'ab', releases: 5 };
    const once = playCell(cell, { goesOn: false, seed: 1 });
    expect(playCell(cell, { goesOn: false, seed: 1 })).toEqual(once);
    expect(playCell(cell, { goesOn: false, seed: 2 })).not.toEqual(once);
  });
});

it('results are read back unchanged', () => {
  const cells = powerCells(2).slice(0, 3);
  const bad = cells.map((cell) => ({ ...cell, outcomes: playCell(cell, { goesOn: false, seed: SEED }) }));
  const latency = latencyCells(2)
    .slice(0, 2)
    .map((cell) => ({ ...cell, outcomes: playLatency(cell, { goesOn: false, seed: SEED }) }));
  const results = {
    seed: 1,
    minutes: 2,
    null: [],
    again: [],
    breaking: [],
    good: [],
    bad,
    late: [],
    latency,
    latencyNull: [],
    shortNull: [],
    shortAgain: [],
    shortBad: [],
  };
  expect(readResults(writeResults(results))).toEqual(results);
});

describe('draws', () => {
  const draws = new Draws(seededRandom(11));
  const many = (draw: () => number) => Array.from({ length: 40_000 }, draw);
  const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const varianceOf = (values: readonly number[]) => {
    const mean = meanOf(values);
    return meanOf(values.map((value) => (value - mean) ** 2));
  };

  it.each([
    { what: 'small Poisson', draw: () => draws.poisson(0.7), mean: 0.7, variance: 0.7 },
    { what: 'large Poisson', draw: () => draws.poisson(300), mean: 300, variance: 300 },
    { what: 'gamma', draw: () => draws.gamma(4), mean: 4, variance: 4 },
    { what: 'gamma below 1', draw: () => draws.gamma(0.5), mean: 0.5, variance: 0.5 },
    // Geometric clusters of mean 3 have a variance of 6, and a Poisson number of them 2 × (6 + 9).
    { what: 'clusters', draw: () => draws.clusters(draws.poisson(2), 3), mean: 6, variance: 30 },
    { what: 'few that stay', draw: () => draws.staying(20, 0.3), mean: 6, variance: 4.2 },
    { what: 'many that stay', draw: () => draws.staying(400, 0.3), mean: 120, variance: 84 },
  ])('$what has its mean and variance', ({ draw, mean, variance }) => {
    const values = many(draw);
    // Five standard errors of a mean; a variance of these distributions is known to 10% from so many.
    expect(Math.abs(meanOf(values) - mean)).toBeLessThan(5 * Math.sqrt(variance / values.length));
    expect(varianceOf(values) / variance).toBeGreaterThan(0.9);
    expect(varianceOf(values) / variance).toBeLessThan(1.1);
  });
});

describe('the rivals', () => {
  const counts = (requests: number, failures: number) => ({ requests, failures });
  /** End of a decider when each minute is the same. */
  function endOf(decider: Decider, canary: { requests: number; failures: number }, primary = counts(900, 0)) {
    const decide = decider.begin([]);
    for (let minute = 0; minute < 120; minute += 1) {
      const at = { fromMs: minute * 60_000, toMs: (minute + 1) * 60_000 };
      const decision = decide({ ...at, canary, primary }, minute + 1);
      if (decision !== undefined) return `${decision} ${minute + 1}`;
    }
    return 'undecided';
  }

  it.each([
    { who: 'Flagger', decider: flagger, canary: counts(100, 1), end: 'promoted 10' },
    { who: 'Flagger below 99%', decider: flagger, canary: counts(100, 2), end: 'rolledBack 5' },
    { who: 'Flagger without requests', decider: flagger, canary: counts(0, 0), end: 'rolledBack 5' },
    { who: 'Argo', decider: argo, canary: counts(100, 5), end: 'promoted 50' },
    { who: 'Argo below 95%', decider: argo, canary: counts(100, 6), end: 'rolledBack 20' },
    { who: 'Argo without requests', decider: argo, canary: counts(0, 0), end: 'rolledBack 25' },
    { who: 'Kayenta', decider: kayenta, canary: counts(100, 3), end: 'rolledBack 60' },
    { who: 'Kayenta without failures', decider: kayenta, canary: counts(100, 0), end: 'promoted 60' },
    { who: 'a fixed test', decider: fixedHorizon, canary: counts(100, 3), end: 'rolledBack 30' },
    { who: 'a fixed test without failures', decider: fixedHorizon, canary: counts(100, 0), end: 'promoted 30' },
    { who: 'a fixed test that is peeked', decider: peeking, canary: counts(100, 3), end: 'rolledBack 1' },
  ])('$who: $end', ({ decider, canary, end }) => expect(endOf(decider, canary)).toBe(end));

  it('the interval of Mann and Whitney, by hand: 1, 2, 4 less 0, 1, 5', () => {
    // Differences: −4, −3, −1, 0, 1, 1, 2, 3, 4; the one in the middle is 1.
    const { estimate, low } = mannWhitneyInterval([1, 2, 4], [0, 1, 5], 0.95);
    expect(estimate).toBe(1);
    expect(low).toBe(-4);
    const apart = mannWhitneyInterval(
      Array.from({ length: 60 }, (_, index) => 10 + (index % 7)),
      Array.from({ length: 60 }, (_, index) => index % 7),
      0.98,
    );
    expect(apart.estimate).toBe(10);
    expect(apart.low).toBeGreaterThan(8);
    expect(() => mannWhitneyInterval([1], [2], 0.5)).toThrow('confidence must be one of 0.95, 0.98');
  });
});
