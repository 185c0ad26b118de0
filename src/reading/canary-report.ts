import type { Canary, Metric, Webhook } from '../api/canary.ts';
import type { CanaryStatus, Release } from '../api/canary-status.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { parseStatus } from '../api/parse-status.ts';
import { defined } from '../base/defined.ts';
import { timestamp } from '../base/timestamp.ts';
import { type Limit, limitOf, limitText } from '../metrics/limit.ts';
import type { Workload } from '../workloads/workload.ts';
import { ofThisRelease, summaryOf, timeOf } from './canary-reading.ts';
import { comparedReports } from './compared-reports.ts';
import type { CanaryReport, CheckReport, EventReport, GateReport, WorkloadReport } from './documents/canary-documents.ts';
import { outputVersion } from './documents/output-version.ts';
import { timeOfEvent } from './event-time.ts';
import type { CanarySnapshot } from './snapshot.ts';

/** Events on one screen; `-o json` has all that the cluster keeps. */
export const EVENTS_SHOWN = 6;

/** The report of a snapshot. Pure. */
export function reportOf(snapshot: CanarySnapshot): CanaryReport {
  const { raw, canary, events } = snapshot;
  const status = parseStatus(raw.status);
  const release = status?.release;
  const own = ofThisRelease(status)?.release;
  const compared = canary && own ? comparedReports(canary, own, isAnalysed(status)) : [];
  return {
    apiVersion: outputVersion,
    kind: 'CanaryReport',
    ...summaryOf(raw),
    ...(release ? { step: release.step } : {}),
    workloads: workloadsOf(snapshot),
    checks: canary ? checksOf(canary, own) : [],
    ...(compared.length > 0 ? { compared } : {}),
    gates: canary ? gatesOf(canary, own, release) : [],
    ...(release?.blockers?.length ? { blockers: release.blockers } : {}),
    conditions: (status?.conditions ?? []).map(({ type, status: is, reason, message }) => defined({ type, status: is, reason, message })),
    events: events.map(eventOf),
  };
}

const isAnalysed = (status: CanaryStatus | undefined): boolean => status?.phase === 'Progressing' || status?.phase === 'WaitingPromotion';

function workloadsOf({ raw, canary, workload, target, primary }: CanarySnapshot): CanaryReport['workloads'] {
  const { target: named, revision, promotedRevision } = summaryOf(raw);
  const primaryName = canary && workload ? workload.primaryRef(canary).name : `${named.name}-primary`;
  return {
    target: {
      ...named,
      ...countsOf(target, workload),
      ...runsOf(target && workload?.measuredAs?.(target)),
      ...(revision === undefined ? {} : { revision }),
    },
    primary: {
      kind: named.kind,
      name: primaryName,
      ...countsOf(primary, workload),
      ...runsOf(primary && workload?.promotedPart(primary).primaryRevision),
      ...(promotedRevision === undefined ? {} : { revision: promotedRevision }),
    },
  };
}

function countsOf(object: KubeObject | undefined, workload: Workload | undefined): Omit<WorkloadReport, 'kind' | 'name'> {
  if (object === undefined || workload?.hasPods !== true) return { exists: object !== undefined };
  const slim = workload.slim(object);
  return { exists: true, replicas: workload.replicas(slim), ready: workload.readiness(slim, 100).ready };
}

/** Both sides of a Knative Service are one object: its Revisions distinguish them. */
function runsOf(revision: unknown): Pick<WorkloadReport, 'runs'> {
  return typeof revision === 'string' && revision !== '' ? { runs: revision } : {};
}

/** Checks with their last measurement, and pending checks. */
function checksOf({ spec }: Canary, release: Release | undefined): CheckReport[] {
  const { metrics = [] } = spec.analysis;
  const verdicts = release?.verdicts ?? [];
  const measured = verdicts.map(({ early: _, object: _object, field: _field, ...verdict }): CheckReport => {
    const recent = release?.recent?.[verdict.check]?.map(({ atMs, ...one }) => ({ at: timestamp(atMs), ...one }));
    return { ...verdict, ...(recent ? { recent } : {}) };
  });
  const pending = metrics.filter(({ name }) => !verdicts.some(({ check }) => check === name));
  return [...measured, ...pending.map((metric): CheckReport => ({ check: metric.name, verdict: 'pending', limit: limitOfMetric(metric) }))];
}

function limitOfMetric(metric: Metric): string {
  const { limit, unit } = rangeOf(metric);
  return limitText(limit, unit);
}

/** The accepted range of a metric, and its unit. */
export function rangeOf(metric: Metric): { limit: Limit; unit: string } {
  if (metric.name === 'request-success-rate') return { limit: limitOf(metric, 'successRate'), unit: '%' };
  if (metric.name === 'request-duration') return { limit: limitOf(metric, 'duration'), unit: 'ms' };
  return { limit: limitOf(metric, 'custom'), unit: '' };
}

/** Hooks that can hold a release. */
export const gateTypes = ['confirm-rollout', 'pre-rollout', 'confirm-traffic-increase', 'confirm-promotion'] as const;

/** Gates of the spec. The last argument records which webhook refused last, also in a release that waits for its first webhook. */
function gatesOf({ spec }: Canary, release: Release | undefined, asked: Release | undefined): GateReport[] {
  return (spec.analysis.webhooks ?? []).flatMap((hook): GateReport[] => {
    const type = gateTypes.find((one) => one === hook.type);
    if (type === undefined) return [];
    if (isRefusedBy(hook, asked)) {
      const { detail = '', isUnanswered } = asked?.refusedBy ?? {};
      return [{ name: hook.name, type, state: isUnanswered ? 'unreachable' : 'closed', reason: detail }];
    }
    const isOpen =
      (type === 'confirm-rollout' && release?.confirmed === true) || (type === 'pre-rollout' && release?.preRolloutPassed === true);
    return [{ name: hook.name, type, state: isOpen ? 'open' : 'unasked' }];
  });
}

/** The release waits for this webhook, which refused it last. */
export function isRefusedBy({ name, type }: Pick<Webhook, 'name' | 'type'>, release: Release | undefined): boolean {
  const { refusedBy } = release ?? {};
  // A webhook without a type is one of type rollout.
  return refusedBy?.webhook === name && (refusedBy.type || 'rollout') === (type || 'rollout');
}

function eventOf(event: KubeObject): EventReport {
  const { type = '', reason = '', message = '', count = 1 } = event;
  return {
    ...timeOf('at', timeOfEvent(event)),
    type: String(type),
    reason: String(reason),
    message: String(message),
    count: Number(count),
  };
}
