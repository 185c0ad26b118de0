import type { Canary } from '../../api/canary.ts';
import type { Release } from '../../api/canary-status.ts';
import { type ComparisonJudgement, judgeComparison } from '../../judge/judge-comparison.ts';
import { type ComparedMetric, comparedMetrics } from './compared-metrics.ts';
import { type ComparedSoFar, comparedSoFar } from './compared-so-far.ts';

/** One metric with its state so far. */
export interface ComparedState {
  metric: ComparedMetric;
  known: ComparedSoFar;
  judgement: ComparisonJudgement;
}

export function comparedState(release: Pick<Release, 'comparison'>, metric: ComparedMetric): ComparedState {
  const known = comparedSoFar(release, metric);
  return { metric, known, judgement: judgeComparison(known.evidence, metric.comparison) };
}

/** The comparison by every metric, for readers; empty where `analysis.comparison` is absent. */
export function comparedStates(release: Pick<Release, 'comparison'>, { spec }: Pick<Canary, 'spec'>): readonly ComparedState[] {
  return comparedMetrics(spec.analysis).map((metric) => comparedState(release, metric));
}
