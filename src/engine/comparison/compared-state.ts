import type { Canary } from '../../api/canary.ts';
import type { Release } from '../../api/canary-status.ts';
import { type Judgement, judge } from '../../judge/judge.ts';
import { type ComparedMetric, comparedMetrics } from './compared-metrics.ts';
import { type ComparedSoFar, comparedSoFar } from './compared-so-far.ts';

/** One metric with its state so far. */
export interface ComparedState {
  metric: ComparedMetric;
  known: ComparedSoFar;
  judgement: Judgement;
}

export function comparedState(release: Pick<Release, 'comparison'>, metric: ComparedMetric): ComparedState {
  const known = comparedSoFar(release, metric);
  return { metric, known, judgement: judge(known.evidence, metric.comparison) };
}

/** The comparison by every metric, for readers; empty where `analysis.comparison` is absent. */
export function comparedStates(release: Pick<Release, 'comparison'>, { spec }: Pick<Canary, 'spec'>): readonly ComparedState[] {
  return comparedMetrics(spec.analysis).map((metric) => comparedState(release, metric));
}
