import { stringify } from 'yaml';
import { alertRules } from './alert-rules.ts';

/** Where `runbook_url` leads; the chart's value `prometheusRule.runbooks` puts the address in front of it under which the docs are published. */
export const RUNBOOKS = 'docs/runbooks.md';

/** The groups as Prometheus reads them from a rule file, and as the `spec` of a PrometheusRule. */
export function alertsFile(): string {
  const rules = alertRules.map(({ alert, expr, for: forHowLong, severity, summary, description }) => ({
    alert,
    expr,
    for: forHowLong,
    labels: { severity },
    annotations: { summary, description, runbook_url: `${RUNBOOKS}#${alert.toLowerCase()}` },
  }));
  return stringify({ groups: [{ name: 'serin', rules }] }, { lineWidth: 0 });
}
