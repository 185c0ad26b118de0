import type { Metric } from '../api/canary.ts';
import type { Verdict } from '../api/canary-status.ts';
import { breach, limitOf, limitText, type MetricKind } from './limit.ts';
import type { Measurement } from './providers/metric-provider.ts';

const units: Readonly<Record<MetricKind, string>> = { successRate: '%', duration: 'ms', custom: '' };

/** The verdict of one check. What has no value is unmeasured, and never a bad measurement (I11). */
export function judgeMeasurement(metric: Metric, kind: MetricKind, measured: Measurement): Verdict {
  const unit = units[kind];
  const bounds = limitOf(metric, kind);
  const known = { check: metric.name, limit: limitText(bounds, unit) };
  if (measured.kind !== 'value') return { ...known, verdict: 'unmeasured', reason: measured.reason };
  const reason = breach(measured.value, bounds, unit);
  // JSON has no infinity: the reason tells it, the status cannot hold it.
  const seen = { ...known, ...(Number.isFinite(measured.value) ? { value: measured.value } : {}) };
  return reason ? { ...seen, verdict: 'failed', reason: `${metric.name}: ${reason}` } : { ...seen, verdict: 'passed' };
}
