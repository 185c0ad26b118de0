import type { Registry } from '@prometheus-io/client';
import type { Canary } from '../../api/canary.ts';
import type { Reason } from '../../api/codes/codes.ts';
import { metersIn } from '../../base/meters.ts';
import type { InvolvedObject } from '../../kube/events.ts';
import type { OwnedSeries } from './owned-series.ts';

/** Metrics of the progress of a release. */
export function tickMetrics(registry: Registry, series: OwnedSeries) {
  const { counter, histogram } = metersIn(registry);
  const ofTicks = 'Duration of the checks of an interval, until their verdicts were stored';
  const durations = histogram('flagger_canary_duration_seconds', ofTicks, ['name', 'namespace']);
  const lagBuckets = [0.01, 0.05, 0.1, 0.5, 1, 2, 5, 10, 30];
  const lag = histogram('serin_reconcile_lag_seconds', 'Delay of reconciles after their planned time', [], lagBuckets);
  const errors = counter('serin_reconcile_errors_total', 'Reconciles that ended in an error and are tried again');
  const unmoved = counter(
    'serin_unmoved_decisions_total',
    'Decisions that had no move in their state; each is a bug in Serin, and its release may hang',
  );
  const ofEvents = 'Announcements of each Canary, by the reasons of docs/reasons.md';
  const reported = counter('flagger_canary_events_total', ofEvents, ['name', 'namespace', 'reason']);
  return {
    tickBegan(lateMs: number): void {
      lag.observe(Math.max(0, lateMs) / 1000);
    },
    tickEnded(canary: Canary, durationMs: number): void {
      const labels = series.own(canary, durations, { name: canary.spec.targetRef.name, namespace: canary.metadata.namespace });
      if (labels) durations.observe(labels, durationMs / 1000);
    },
    tickFailed(): void {
      errors.inc();
    },
    decisionUnmoved(): void {
      unmoved.inc();
    },
    /** Announcements on routes and other objects are not counted. */
    announced(involved: InvolvedObject, reason: Reason): void {
      const name = involved.kind === 'Canary' ? series.targetOf(involved) : undefined;
      if (name === undefined) return;
      const labels = series.own(involved, reported, { name, namespace: involved.metadata.namespace ?? '', reason });
      if (labels) reported.inc(labels);
    },
  };
}
