import type { Canary } from '../api/canary.ts';
import type { AlertDetails, Delivery, Release } from '../api/canary-status.ts';
import type { Reason } from '../api/codes/codes.ts';
import { imageChangeText } from '../api/container-image.ts';
import type { Ending } from '../api/ending.ts';
import { progressDeadlineMs } from './deadlines.ts';
import type { Facts } from './facts.ts';
import { thresholdOf } from './judge-checks.ts';
import { plannedStep } from './next-weight.ts';
import { iterationsOf, strategyOf, weightOf } from './strategy.ts';

type Severity = 'info' | 'warn' | 'error';
type Field = { name: string; value: string };
/** Facts that an alert depends on. */
export type AlertFacts = Pick<Facts, 'canary' | 'nowMs' | 'supports' | 'globalAlerts'>;

/** An occasion for an alert (rule E64), with the severities of Flagger. */
export interface ReleaseAlert {
  reason: Reason;
  severity: Severity;
  message: string;
  /** Set at the end of a release. */
  outcome?: Delivery['outcome'];
  /** Contains the fields with the setup of the release. */
  isDetailed?: boolean;
  /** Reason for the end. */
  ending?: Ending;
  /** The webhook that holds the release. */
  gate?: AlertDetails['gate'];
  /** It concerns only receivers that mark commits. */
  isOfCommit?: boolean;
}

const rank: Readonly<Record<Severity, number>> = { info: 0, warn: 1, error: 2 };
/** Characters of a field's value. */
const LONGEST_VALUE = 300;

/** One delivery for each receiver, so that a dead receiver repeats nothing to the others (I6). */
export function alertDeliveries(facts: AlertFacts, from: Release, alert: ReleaseAlert): Delivery[] {
  const { canary, nowMs } = facts;
  const { reason, severity, message, outcome } = alert;
  // Messages of one kind can come again within a run: each has its own key.
  const what = outcome ?? `${reason}/${nowMs}`;
  const key = `${canary.metadata.uid}/${from.run}/${from.revision}/${what}/alert`;
  const details = detailsOf(facts, from, alert);
  const fields = fieldsOf(facts, details, alert);
  const wanted = alert.isOfCommit ? [] : alertReceivers(facts, severity);
  // The kind of a receiver is known when it is sent to. A commit that is marked as progressing must also get its end, of any severity.
  const ofCommit = from.commit === undefined || alert.gate ? [] : alertReceivers(facts, 'error').filter((to) => to && !isIn(wanted, to));
  return [...wanted, ...ofCommit].map((to) => ({
    key: to ? `${key}/${to.namespace}/${to.name}` : key,
    kind: 'alert' as const,
    ...(outcome ? { outcome } : {}),
    message,
    sinceMs: nowMs,
    alert: { reason, severity, ...(to ? { to } : {}), fields, details, ...(ofCommit.includes(to) ? { commitOnly: true as const } : {}) },
  }));
}

type AlertTo = NonNullable<NonNullable<Delivery['alert']>['to']>;

const isIn = (receivers: readonly (AlertTo | undefined)[], to: AlertTo): boolean =>
  receivers.some((one) => one?.name === to.name && one.namespace === to.namespace);

/** The AlertProviders whose severity is low enough, each once; without any alert in the spec, the global receiver. */
export function alertReceivers(
  { canary, globalAlerts }: Pick<AlertFacts, 'canary' | 'globalAlerts'>,
  severity: Severity,
): (AlertTo | undefined)[] {
  const alerts = canary.spec.analysis.alerts ?? [];
  if (alerts.length === 0) return globalAlerts ? [undefined] : [];
  const wanted = alerts.filter((one) => rank[severity] >= rank[one.severity || 'info']);
  const found = new Map<string, AlertTo>();
  for (const { providerRef } of wanted) {
    const to = { namespace: providerRef.namespace || canary.metadata.namespace, name: providerRef.name };
    found.set(`${to.namespace}/${to.name}`, to);
  }
  return [...found.values()];
}

function detailsOf({ canary, nowMs, supports }: AlertFacts, from: Release, { reason, outcome, ending, gate }: ReleaseAlert): AlertDetails {
  const weight = weightOf(from.routes);
  const { analysis } = canary.spec;
  const iterations = strategyOf(canary, supports) === 'canary' ? 0 : iterationsOf(canary);
  const { checks = [], moreChecks: _, ...ended } = ending ?? {};
  const isUnderWay = gate !== undefined || outcome === 'Failed';
  return {
    release: from.run,
    revision: from.revision,
    ...(from.change && reason !== 'Initialized' ? { change: from.change } : {}),
    ...(from.commit === undefined ? {} : { commit: from.commit }),
    ...(isUnderWay ? { step: plannedStep({ ...analysis, iterations }, { weight, iterations: from.iterations }) } : {}),
    weight,
    checks,
    ...(outcome ? { durationSeconds: Math.round((nowMs - from.startedMs) / 1000) } : {}),
    ...(ending ? { ending: ended as AlertDetails['ending'] } : {}),
    ...(gate ? { gate } : {}),
  };
}

function fieldsOf(facts: AlertFacts, details: AlertDetails, alert: ReleaseAlert): Field[] {
  const fields: Field[] = alert.isDetailed ? setup(facts) : [];
  fields.push({ name: 'Revision', value: details.revision.slice(0, 15) });
  if (details.change) fields.push(...changeFields(details.change));
  if (details.step) fields.push({ name: 'Step', value: `${details.step.at} of ${details.step.of}` });
  if (alert.reason !== 'Initialized') fields.push({ name: 'Canary weight', value: `${details.weight}%` });
  for (const check of details.checks) fields.push(...verdictFields(check));
  const { moreChecks = 0 } = alert.ending ?? {};
  if (moreChecks > 0) fields.push({ name: 'More checks', value: String(moreChecks) });
  if (details.durationSeconds !== undefined) fields.push({ name: 'Duration', value: `${details.durationSeconds}s` });
  return fields.map(({ name, value }) => ({ name, value: shortText(value) }));
}

function shortText(text: string): string {
  const letters = Array.from(text);
  return letters.length > LONGEST_VALUE ? `${letters.slice(0, LONGEST_VALUE - 1).join('')}…` : text;
}

/** Old and new images of a release, and its other changes. */
function changeFields({ images, moreImages = 0, configs, template = false }: NonNullable<AlertDetails['change']>): Field[] {
  const named = configs.map((key) => key.replace('configmap/', 'ConfigMap ').replace('secret/', 'Secret '));
  const changed = [...(images.length > 0 ? ['image'] : []), ...(template ? ['pod template'] : []), ...named];
  return [
    ...images.map((change) => ({ name: `Image of ${change.container}`, value: imageChangeText(change) })),
    ...(moreImages > 0 ? [{ name: 'More images', value: String(moreImages) }] : []),
    { name: 'Changed', value: changed.join(', ') },
  ];
}

/** Setup of the release, in Flagger's order. */
function setup({ canary, supports }: AlertFacts): Field[] {
  const { targetRef, analysis } = canary.spec;
  const routing = trafficRouting(canary, supports);
  return [
    { name: 'Target', value: `${targetRef.kind}/${targetRef.name}.${canary.metadata.namespace}` },
    { name: 'Failed checks threshold', value: String(thresholdOf(analysis)) },
    { name: 'Progress deadline', value: `${progressDeadlineMs(canary) / 1000}s` },
    ...(routing === undefined ? [] : [{ name: 'Traffic routing', value: routing }]),
  ];
}

/** Absent without any step; weights are shown from the spec, also if the provider cannot split traffic. */
function trafficRouting(canary: Canary, supports: Parameters<typeof strategyOf>[1]): string | undefined {
  const { stepWeight = 0, stepWeights = [], maxWeight = 0, iterations = 0 } = canary.spec.analysis;
  const strategy = strategyOf(canary, { ...supports, weights: true });
  if (strategy === 'a/b') return `A/B test, ${iterations} iterations`;
  if (strategy === 'blue/green') return `Blue/Green, ${iterations} iterations`;
  if (stepWeight > 0) return `Canary, step weight ${stepWeight}, max weight ${maxWeight}`;
  return stepWeights.length > 0 ? `Canary, step weights ${stepWeights.join(',')}, max weight ${maxWeight}` : undefined;
}

/** Failed and unmeasured are different (I11), so the verdict is also shown. */
function verdictFields({ check, verdict, value, limit, reason }: AlertDetails['checks'][number]): Field[] {
  return [
    { name: 'Metric', value: check },
    { name: 'Verdict', value: verdict },
    ...(value === undefined ? [] : [{ name: 'Value', value: String(value) }]),
    ...(limit === undefined ? [] : [{ name: 'Limit', value: limit }]),
    ...(verdict === 'unmeasured' && reason !== undefined ? [{ name: 'Cause', value: reason }] : []),
  ];
}
