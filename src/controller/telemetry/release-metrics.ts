import type { Registry } from '@prometheus-io/client';
import type { Canary } from '../../api/canary.ts';
import type { Phase } from '../../api/phase.ts';
import { metersIn } from '../../base/meters.ts';
import { type Strategy, strategyOf } from '../../engine/strategy.ts';
import type { OwnedSeries } from './owned-series.ts';

/** Flagger's words for strategies. The strategy follows only from the spec, for any provider. */
const STRATEGY: Readonly<Record<Strategy, string>> = { canary: 'canary', 'a/b': 'ab-testing', 'blue/green': 'blue-green' };
const ANY_PROVIDER = { weights: true, mirroring: true, headerMatch: true, sessionAffinity: true };
/** Half a minute to a day, in seconds. */
const BUCKETS = [30, 60, 120, 300, 600, 1_200, 2_400, 3_600, 7_200, 14_400, 43_200, 86_400];

/** Releases that came to an end, and how long they took. */
export function releaseMetrics(registry: Registry, series: OwnedSeries) {
  const labelNames = ['name', 'namespace', 'deployment_strategy', 'analysis_status'] as const;
  const { counter, histogram } = metersIn(registry);
  const successes = counter('flagger_canary_successes_total', 'Promoted releases', labelNames);
  const failures = counter('flagger_canary_failures_total', 'Failed releases', labelNames);
  const ofReleases = 'From the start of a release to its end, by its outcome: succeeded or failed';
  const durations = histogram('flagger_canary_release_duration_seconds', ofReleases, ['name', 'namespace', 'outcome'], BUCKETS);
  return {
    /** The Canary before the change, and the phase that was stored. */
    phaseChanged(canary: Canary, phase: Phase, nowMs: number): void {
      if (phase !== 'Succeeded' && phase !== 'Failed') return;
      const labels = { name: canary.spec.targetRef.name, namespace: canary.metadata.namespace };
      const { ending } = canary.status?.release ?? {};
      const isSkipped = ending ? ending.code === 'AnalysisSkipped' : canary.spec.skipAnalysis === true;
      const skipped = phase === 'Succeeded' && isSkipped;
      const counter = phase === 'Succeeded' ? successes : failures;
      const counted = series.own(canary, counter, {
        ...labels,
        deployment_strategy: STRATEGY[strategyOf(canary, ANY_PROVIDER)],
        analysis_status: skipped ? 'skipped' : 'completed',
      });
      if (counted) counter.inc(counted);
      const startedMs = canary.status?.release?.startedMs;
      if (startedMs === undefined) return;
      const timed = series.own(canary, durations, { ...labels, outcome: phase === 'Succeeded' ? 'succeeded' : 'failed' });
      if (timed) durations.observe(timed, Math.max(0, nowMs - startedMs) / 1000);
    },
  };
}
