import type { Canary } from '../api/canary.ts';
import type { Release } from '../api/canary-status.ts';
import { defined } from '../base/defined.ts';
import { isGate } from '../engine/comparison/compared-metrics.ts';
import { type ComparedState, comparedStates } from '../engine/comparison/compared-state.ts';
import { stateText } from '../engine/comparison/words.ts';
import { evidenceShares, type Interval } from '../judge/judge-comparison.ts';
import { type Counts, isCounted } from '../judge/window.ts';
import { ComparedReport } from './documents/compared-report.ts';

/**
 * The comparison with the primary by each metric, in the order of the spec. Metrics of which nothing was read and nothing is known to be wrong are shown only while
 * `isRunning`, and a record with impossible numbers, which another writer stored, is not shown (I16).
 */
export function comparedReports(canary: Canary, release: Pick<Release, 'comparison'>, isRunning: boolean): ComparedReport[] {
  const decides = isGate(canary.spec.analysis);
  return comparedStates(release, canary)
    .filter(({ known: { evidence, problem } }) => isRunning || evidence.windows > 0 || problem !== undefined)
    .filter(({ known: { evidence } }) => isCounted(evidence.canary) && isCounted(evidence.primary))
    .flatMap((state) => ComparedReport.safeParse(reportOfState(state, decides, isRunning)).data ?? []);
}

function reportOfState(state: ComparedState, decides: boolean, isRunning: boolean): ComparedReport {
  const { metric, known, judgement } = state;
  const { evidence, plan, problem } = known;
  const { verdict, canary, primary, ratio, dispersion, isPrimaryFailing, toDecide } = judgement;
  const { against, inFavour } = evidenceShares(judgement);
  const side = (counts: Counts, { estimate: rate, low, high }: Interval, slowerThanMs: number | undefined) => ({
    ...counts,
    rate,
    low,
    high,
    ...defined({ slowerThanMs }),
  });
  return {
    metric: metric.name,
    decides,
    verdict,
    sentence: stateText(state, isRunning),
    canary: side(evidence.canary, canary, plan?.canaryMs),
    primary: side(evidence.primary, primary, plan?.primaryMs),
    ratio: defined(ratio),
    against: Math.round(100 * against),
    inFavour: Math.round(100 * inFavour),
    ...(isPrimaryFailing ? { primaryFailing: true } : {}),
    dispersion,
    windows: evidence.windows,
    skipped: Object.fromEntries(Object.entries(evidence.skipped).filter(([, windows]) => windows > 0)),
    ...(isRunning
      ? defined({ seconds: toDecide?.seconds, helpfulWeight: toDecide?.helpfulWeight, helpfulSeconds: toDecide?.helpfulSeconds })
      : {}),
    ...defined({ problem: isRunning ? problem : undefined }),
  };
}
