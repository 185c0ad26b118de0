import type { Metric } from '../api/canary.ts';
import type { Verdict } from '../api/canary-status.ts';
import { defined } from '../base/defined.ts';
import { baselineBreach, baselineText } from './baseline.ts';
import { breach, limitOf, limitText, type MetricKind } from './limit.ts';
import type { Measurement } from './providers/metric-provider.ts';

const units: Readonly<Record<MetricKind, string>> = { successRate: '%', duration: 'ms', custom: '' };

/** The verdict of one check; `primary` is the primary's value, if it was measured. A check without a value is unmeasured, and never failed (I11). */
export function judgeMeasurement(metric: Metric, kind: MetricKind, measured: Measurement, primary?: Measurement): Verdict {
  const unit = units[kind];
  const bounds = limitOf(metric, kind);
  const { baseline } = metric;
  const texts = [...(baseline && bounds.min === undefined && bounds.max === undefined ? [] : [limitText(bounds, unit)])];
  if (baseline) texts.push(baselineText(baseline));
  const known = { check: metric.name, limit: texts.join(', ') };
  if (measured.kind !== 'value') return { ...known, ...unmeasured(measured) };
  const { value } = measured;
  // JSON has no infinity: the reason shows it, the status cannot contain it.
  const seen = {
    ...known,
    ...(Number.isFinite(value) ? { value } : {}),
    ...(primary?.kind === 'value' && Number.isFinite(primary.value) ? { baseline: primary.value } : {}),
  };
  const outside = breach(value, bounds, unit);
  if (outside) return { ...seen, verdict: 'failed', reason: `${metric.name}: ${outside}` };
  if (!baseline) return { ...seen, verdict: 'passed' };
  if (primary?.kind !== 'value') {
    const { reason, ...why } = unmeasured(primary ?? { kind: 'error', reason: 'it has no query' });
    return { ...known, ...why, reason: `the primary cannot be measured: ${reason}` };
  }
  const apart = baselineBreach(value, primary.value, baseline, unit);
  return apart ? { ...seen, verdict: 'failed', reason: `${metric.name}: ${apart}` } : { ...seen, verdict: 'passed' };
}

function unmeasured(measured: Exclude<Measurement, { kind: 'value' }>): Omit<Verdict, 'check'> {
  const { reason, query } = measured;
  const { code = measured.kind === 'noData' ? 'NoTraffic' : 'Unmeasured', field } = measured;
  const object = measured.kind === 'noData' ? undefined : measured.object;
  return defined({ verdict: 'unmeasured', code, object, field, reason, query });
}
