import { randomUUID } from 'node:crypto';
import type { Canary, Metric } from '../../api/canary.ts';
import type { Delivery, Release, ReleaseChange, Verdict } from '../../api/canary-status.ts';
import type { EndingCode } from '../../api/codes/codes.ts';
import { boundedEnding } from '../../api/ending.ts';
import { allToPrimary } from '../../api/routes.ts';
import { ANALYSING } from '../../api/step.ts';
import { alertDeliveries, type ReleaseAlert } from '../../engine/alerts.ts';
import { builtinKind } from '../../metrics/built-in.ts';
import { judgeMeasurement } from '../../metrics/judge-measurement.ts';
import { type Limit, limitOf } from '../../metrics/limit.ts';
import { type AlertKind, alertKinds } from './alert-kinds.ts';

const sampleChange: ReleaseChange = {
  images: [{ container: 'app', from: 'registry.example.org/app:1.0.0', to: 'registry.example.org/app:1.1.0' }],
  configs: [],
};
/** Of a Canary without metrics. */
const usualMetric: Metric = { name: 'request-success-rate', thresholdRange: { min: 99 } };
const supports = { weights: true, mirroring: true, headerMatch: true, sessionAffinity: true };

/** An alert of this kind about the release of the Canary; missing parts are made up. The message says that it is a test. */
export function sampleAlert(canary: Canary, kind: AlertKind, nowMs: number): Delivery {
  // One delivery, for the global receiver.
  const alone = { ...canary, spec: { ...canary.spec, analysis: { ...canary.spec.analysis, alerts: [] } } };
  const [delivery] = alertDeliveries(
    { canary: alone, nowMs, supports, globalAlerts: true },
    releaseOf(canary, nowMs),
    alertOf(canary, kind, nowMs),
  );
  if (delivery === undefined) throw new Error('an alert has a delivery');
  // Receivers may drop a key that they know.
  return { ...delivery, key: `test/${randomUUID()}` };
}

function alertOf(canary: Canary, kind: AlertKind, atMs: number): ReleaseAlert {
  const { name, namespace } = canary.metadata;
  const message = `Test message: an alert of the kind ${kind} about ${namespace}/${name}`;
  const common = { reason: kind, severity: alertKinds[kind], message };
  if (kind === 'GateClosed') return { ...common, gate: gateOf(canary) };
  const ended = (code: EndingCode, outcome: 'Succeeded' | 'Failed', checks: Verdict[] = []): ReleaseAlert => {
    const metric = checks[0] && { metric: checks[0].check };
    return { ...common, outcome, ending: boundedEnding({ code, atMs, ...metric, checks, detail: message }) };
  };
  if (kind === 'Succeeded') return ended('Succeeded', 'Succeeded');
  if (kind === 'Failed') return ended('ChecksFailed', 'Failed', failedChecks(canary));
  if (kind === 'PromotionFailed') return ended('PromotionFailed', 'Failed');
  return { ...common, isDetailed: true };
}

function gateOf({ spec }: Canary): NonNullable<ReleaseAlert['gate']> {
  const gate = spec.analysis.webhooks?.find(({ type }) => type?.startsWith('confirm-'));
  return { webhook: gate?.name ?? 'gate', type: gate?.type ?? 'confirm-promotion' };
}

function failedChecks({ spec, status }: Canary): Verdict[] {
  const failed = (status?.release?.verdicts ?? []).filter(({ verdict }) => verdict === 'failed');
  if (failed.length > 0) return failed;
  const metric = spec.analysis.metrics?.find(({ mode }) => mode !== 'observe') ?? usualMetric;
  const kind = builtinKind(metric) ?? 'custom';
  const value = valueOutside(limitOf(metric, kind));
  return [value === undefined ? { check: metric.name, verdict: 'failed' } : judgeMeasurement(metric, kind, { kind: 'value', value })];
}

/** A value that fails: 5% below the minimum, or a fifth above the maximum. `undefined` if no value is sure to fail. */
function valueOutside({ min = 0, max }: Limit): number | undefined {
  if (min > 0) return Number((min * 0.95).toPrecision(3));
  return max === undefined ? undefined : Number((max + (Math.abs(max) / 5 || 1)).toPrecision(3));
}

function releaseOf({ status }: Canary, nowMs: number): Release {
  const known = status?.release;
  if (known) return { change: sampleChange, ...known };
  return {
    targetUid: '',
    revision: 's1:000000000000',
    observedGeneration: 0,
    run: 1,
    step: ANALYSING,
    routes: allToPrimary,
    failedChecks: 0,
    iterations: 0,
    startedMs: nowMs - 60_000,
    stepStartedMs: nowMs,
    change: sampleChange,
  };
}
