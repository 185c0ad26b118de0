import type { Metric } from './canary.ts';
import { parseDuration } from './duration.ts';
import { badDuration, error, type Finding, ignored, type Scope, warning } from './finding.ts';
import { factsOf } from './providers.ts';

const path = 'spec.analysis.comparison';
/** Compared by the counters of the provider; no metric that brings counts of its own can have such a name. */
const byCounters = ['errors', 'latency'];

/** Everything about `spec.analysis.comparison`, and `compare` of the metrics. */
export function* comparisonFindings({ canary, observed }: Scope): Generator<Finding> {
  const { comparison, metrics = [] } = canary.spec.analysis;
  for (const [index, metric] of metrics.entries())
    yield* compareFindings(metric, `spec.analysis.metrics[${index}]`, comparison !== undefined);
  if (comparison === undefined) return;
  const { mode, pace, maxStepDuration, warmUp } = comparison;
  const why = observed && factsOf(observed).countsBothSides;
  if (why !== undefined) {
    const message = `cannot tell canary and primary apart, since ${why}: remove it, or use another provider`;
    yield mode === 'gate' ? error(path, message) : warning(path, message);
  }
  if (pace === 'evidence' && mode !== 'gate')
    yield ignored(`${path}.pace`, 'has no effect in mode shadow, which decides nothing: set mode to gate, or remove pace');
  if (maxStepDuration !== undefined && pace !== 'evidence')
    yield ignored(`${path}.maxStepDuration`, 'has no effect without pace evidence: set pace to evidence, or remove it');
  if (maxStepDuration !== undefined && !((parseDuration(maxStepDuration) ?? 0) > 0))
    yield badDuration(`${path}.maxStepDuration`, maxStepDuration);
  if (warmUp !== undefined && parseDuration(warmUp) === undefined) yield badDuration(`${path}.warmUp`, warmUp);
}

function* compareFindings({ name, compare, templateRef }: Metric, at: string, isCompared: boolean): Generator<Finding> {
  if (compare === undefined) return;
  if (!isCompared) yield ignored(`${at}.compare`, 'has no effect without analysis.comparison: add it, or remove compare');
  if (!templateRef)
    yield error(`${at}.compare`, 'has nothing that counts: set templateRef to a MetricTemplate with spec.counts, or remove compare');
  if (byCounters.includes(name))
    yield error(`${at}.name`, `is ${name}, which is compared by the counters of the provider: rename the metric, or remove compare`);
}
