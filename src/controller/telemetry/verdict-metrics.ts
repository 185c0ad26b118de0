import type { Registry } from '@prometheus-io/client';
import type { Canary } from '../../api/canary.ts';
import type { Verdict } from '../../api/canary-status.ts';
import { metersIn } from '../../api/meters.ts';
import type { OwnedSeries } from './owned-series.ts';

/** How often each check has passed, failed or could not be measured (a monitoring outage and a bad version are two alarms), and its last value. */
export function verdictMetrics(registry: Registry, series: OwnedSeries) {
  const { counter, gauge } = metersIn(registry);
  const ofChecks = 'Checks by metric and verdict: passed, failed or unmeasured';
  const checks = counter('flagger_canary_checks_total', ofChecks, ['name', 'namespace', 'metric', 'verdict']);
  const ofValues = 'Last value of each metric; request-duration in seconds';
  const values = gauge('flagger_canary_metric_analysis', ofValues, ['name', 'namespace', 'metric']);
  return {
    /** A check that was never measured has no verdict, and one that cannot be measured now keeps its last value (05-B36). */
    measured(canary: Canary, verdicts: readonly Verdict[]): void {
      const { namespace } = canary.metadata;
      const { name } = canary.spec.targetRef;
      for (const { check, verdict, early, value } of verdicts) {
        if (early) continue;
        const counted = series.own(canary, checks, { name, namespace, metric: check, verdict });
        if (counted) checks.inc(counted);
        const valued = value === undefined ? undefined : series.own(canary, values, { name, namespace, metric: check });
        if (valued && value !== undefined) values.set(valued, check === 'request-duration' ? value / 1000 : value);
      }
    },
  };
}
