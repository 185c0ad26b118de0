import { seededRandom } from '../../src/embedded/mesh/random.ts';
import { type Comparison, defaultComparison } from '../../src/judge/comparison.ts';
import { addWindow, learnScatter, noEvidence } from '../../src/judge/evidence.ts';
import { type ComparisonJudgement, judgeComparison } from '../../src/judge/judge-comparison.ts';
import type { Counts } from '../../src/judge/window.ts';
import { Draws } from '../../test/study/draws.ts';

/** A simulated release; its requests fail independently of each other, and its warm-up is over. */
export interface SimulatedRelease {
  seed: number;
  perSecond: number;
  /** Percent of the requests that the canary gets. */
  weight: number;
  /** Shares of requests that fail. */
  canary: number;
  primary: number;
}

/** The comparison after a window. */
export interface Moment {
  seconds: number;
  judgement: ComparisonJudgement;
  counts: { canary: Counts; primary: Counts };
}

const WINDOW_SECONDS = 15;
/** The part of the primary's past that the controller reads. */
const HISTORY_SECONDS = 3 * 3600;
const COMPARISON: Comparison = { ...defaultComparison, warmUpMs: 0 };

/** Plays windows through the judge of the controller for so many seconds, with any verdict, as in shadow mode. */
export function play({ seed, perSecond, weight, canary, primary }: SimulatedRelease, untilSeconds: number): Moment[] {
  const draws = new Draws(seededRandom(seed));
  const windowOf = (requestsPerSecond: number, share: number): Counts => {
    const requests = draws.poisson(requestsPerSecond * WINDOW_SECONDS);
    return { requests, failures: Math.min(requests, draws.poisson(requests * share)) };
  };
  const ofPrimary = () => windowOf((perSecond * (100 - weight)) / 100, primary);
  const history = Array.from({ length: HISTORY_SECONDS / WINDOW_SECONDS }, ofPrimary);
  let evidence = learnScatter(noEvidence(COMPARISON), history);
  const moments: Moment[] = [];
  for (let seconds = WINDOW_SECONDS; seconds <= untilSeconds; seconds += WINDOW_SECONDS) {
    const window = {
      fromMs: 1000 * (seconds - WINDOW_SECONDS),
      toMs: 1000 * seconds,
      canary: windowOf((perSecond * weight) / 100, canary),
      primary: ofPrimary(),
    };
    evidence = addWindow(evidence, window, { comparison: COMPARISON, firstReadyMs: 0 });
    moments.push({
      seconds,
      judgement: judgeComparison(evidence, COMPARISON),
      counts: { canary: evidence.canary, primary: evidence.primary },
    });
  }
  return moments;
}
