import type { Canary } from '../../api/canary.ts';
import type { Release } from '../../api/canary-status.ts';
import { oncePerObject } from '../../base/once.ts';
import type { Comparison } from '../../judge/comparison.ts';
import type { Evidence } from '../../judge/evidence.ts';
import { weigh } from '../../judge/judge-comparison.ts';
import { type ComparedMetric, comparedMetrics, isGate, maxStepDurationMs } from './compared-metrics.ts';
import { comparedSoFar } from './compared-so-far.ts';
import { comparedState } from './compared-state.ts';
import { harmText } from './words.ts';

/** The canary is worse than the primary by this metric. */
export interface Harm {
  metric: string;
  text: string;
}

/** Reason for which a gate rolls the release back, with its metric; undefined while no metric is bad (rule E123). */
export function harmOf(release: Release, canary: Canary): Harm | undefined {
  if (!isGate(canary.spec.analysis)) return undefined;
  const bad = comparedMetrics(canary.spec.analysis).find((metric) => verdictOf(release, metric) === 'bad');
  return bad && { metric: bad.name, text: harmText(comparedState(release, bad)) };
}

/**
 * The metric for whose evidence a step waits with `pace: evidence`; undefined if every metric is fine, or the step has lasted `maxStepDuration` (rule E124).
 * Fine at an earlier step is not enough: the canary must have had requests at this step. A primary without requests, as at 100%, is not waited for.
 */
export function awaitedEvidence(release: Release, canary: Canary, nowMs: number): ComparedMetric | undefined {
  const { analysis } = canary.spec;
  if (!isGate(analysis) || analysis.comparison?.pace !== 'evidence' || nowMs >= evidenceUntilMs(release, canary)) return undefined;
  const { stepStartedMs: sinceMs } = release;
  return comparedMetrics(analysis).find((metric) => {
    const { servedMs = 0 } = comparedSoFar(release, metric);
    return servedMs <= sinceMs || verdictOf(release, metric) !== 'fine';
  });
}

/** Time at which the step is taken without evidence: epoch milliseconds. */
export const evidenceUntilMs = (release: Release, { spec }: Canary): number => release.stepStartedMs + maxStepDurationMs(spec.analysis);

const verdictOf = (release: Release, metric: ComparedMetric) => weighed(metric.comparison)(comparedSoFar(release, metric).evidence);

const weighed = oncePerObject((comparison: Comparison) => oncePerObject((evidence: Evidence) => weigh(evidence, comparison).verdict));
