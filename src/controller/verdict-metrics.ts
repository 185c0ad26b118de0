import { Counter, type Registry } from 'prom-client';
import type { Canary } from '../api/canary.ts';
import type { Verdict } from '../api/canary-status.ts';

type Labels = { name: string; namespace: string; metric: string; verdict: Verdict['verdict'] };

/** How often each check has passed, failed or could not be measured: a monitoring outage and a bad version are two alarms. */
export function verdictMetrics(registry: Registry) {
  const checks = new Counter({
    name: 'flagger_canary_checks_total',
    help: 'Checks by metric and verdict: passed, failed or unmeasured',
    labelNames: ['name', 'namespace', 'metric', 'verdict'],
    registers: [registry],
  });
  /** Of each Canary, since a series is removed by all of its labels. */
  const known = new Map<string, Map<string, Labels>>();
  return {
    /** What could not be measured yet is no verdict. */
    measured(canary: Canary, verdicts: readonly Verdict[]): void {
      const { namespace } = canary.metadata;
      const { name } = canary.spec.targetRef;
      for (const { check, verdict, early } of verdicts) {
        if (early) continue;
        const labels: Labels = { name, namespace, metric: check, verdict };
        const series = known.get(`${namespace}/${name}`) ?? new Map<string, Labels>();
        known.set(`${namespace}/${name}`, series.set(`${verdict} ${check}`, labels));
        checks.inc(labels);
      }
    },
    gone(namespace: string, name: string): void {
      for (const labels of known.get(`${namespace}/${name}`)?.values() ?? []) checks.remove(labels);
      known.delete(`${namespace}/${name}`);
    },
  };
}
