import type { Registry } from '@prometheus-io/client';
import type { Canary } from '../../api/canary.ts';
import type { Verdict } from '../../api/canary-status.ts';
import { metersIn } from '../../base/meters.ts';
import { builtinKind } from '../../metrics/built-in.ts';
import { limitOf } from '../../metrics/limit.ts';
import type { OwnedSeries } from './owned-series.ts';

/** Counts of passed, failed and unmeasured checks (a monitoring outage and a bad version are two alarms), their last values, and their limits. */
export function verdictMetrics(registry: Registry, series: OwnedSeries) {
  const { counter, gauge } = metersIn(registry);
  const ofChecks = 'Checks by metric and verdict: passed, failed or unmeasured';
  const checks = counter('flagger_canary_checks_total', ofChecks, ['name', 'namespace', 'metric', 'verdict']);
  const ofValues = 'Last value of each metric; request-duration in seconds';
  const values = gauge('flagger_canary_metric_analysis', ofValues, ['name', 'namespace', 'metric']);
  const ofLimits = 'Limits of each metric, by bound: min or max; request-duration in seconds';
  const limits = gauge('flagger_canary_metric_limit', ofLimits, ['name', 'namespace', 'metric', 'bound']);
  return {
    /** A check that was never measured has no verdict, and a check that cannot be measured now keeps its last value. */
    measured(canary: Canary, verdicts: readonly Verdict[]): void {
      const { namespace } = canary.metadata;
      const { name } = canary.spec.targetRef;
      const judged = (canary.spec.analysis.metrics ?? []).flatMap((metric) =>
        Object.entries(limitOf(metric, builtinKind(metric) ?? 'custom')).map(([bound, value]) => ({
          labels: { name, namespace, metric: metric.name, bound },
          value: shown(metric.name, value),
        })),
      );
      series.set(canary, limits, judged);
      for (const { check, verdict, early, value } of verdicts) {
        if (early) continue;
        const counted = series.own(canary, checks, { name, namespace, metric: check, verdict });
        if (counted) checks.inc(counted);
        const valued = value === undefined ? undefined : series.own(canary, values, { name, namespace, metric: check });
        if (valued && value !== undefined) values.set(valued, shown(check, value));
      }
    },
  };
}

/** Flagger measures durations in milliseconds, and exports them in seconds. */
const shown = (metric: string, value: number): number => (metric === 'request-duration' ? value / 1000 : value);
