import type { Canary } from '../api/canary.ts';
import type { Delivery, Release, Verdict } from '../api/canary-status.ts';
import type { Input } from './context.ts';
import { progressDeadlineMs } from './deadlines.ts';
import { thresholdOf } from './judge.ts';
import type { Reason } from './reasons.ts';
import { strategyOf, weightOf } from './strategy.ts';

type Severity = 'info' | 'warn' | 'error';
type Field = { name: string; value: string };
type Seeing = Pick<Input, 'event'>;

/** Something worth an alert (rule E64; source of severities: 05-A1–A11). */
export interface ReleaseAlert {
  reason: Reason;
  severity: Severity;
  message: string;
  /** Of a terminal one. */
  outcome?: Delivery['outcome'];
  /** With the fields that show how the release is set up (05-A21–A24). */
  isDetailed?: boolean;
  /** Verdicts that decided the end. */
  verdicts?: readonly Verdict[];
}

const rank: Readonly<Record<Severity, number>> = { info: 0, warn: 1, error: 2 };
const LONGEST_VALUE = 300;

/** One delivery for each receiver, so that one that is dead repeats nothing to the others (I6, 05-A30–A32). */
export function alertDeliveries(input: Seeing, from: Release, alert: ReleaseAlert): Delivery[] {
  const { canary, nowMs } = input.event.facts;
  const { reason, severity, message, outcome } = alert;
  // News of one kind can come again within a run: each has its own key.
  const what = outcome ?? `${reason}/${nowMs}`;
  const key = `${canary.metadata.uid}/${from.run}/${from.revision}/${what}/alert`;
  const fields = fieldsOf(input, from, alert);
  return receivers(input, severity).map((to) => ({
    key: to ? `${key}/${to.namespace}/${to.name}` : key,
    kind: 'alert' as const,
    ...(outcome ? { outcome } : {}),
    message,
    sinceMs: nowMs,
    alert: { reason, severity, ...(to ? { to } : {}), fields },
  }));
}

/** The AlertProviders whose severity is low enough, each once; without any alert in the spec, the global receiver (05-A30, A31). */
function receivers({ event }: Seeing, severity: Severity): ({ namespace: string; name: string } | undefined)[] {
  const { canary, globalAlerts } = event.facts;
  const alerts = canary.spec.analysis.alerts ?? [];
  if (alerts.length === 0) return globalAlerts ? [undefined] : [];
  const wanted = alerts.filter((one) => rank[severity] >= rank[one.severity || 'info']);
  const found = new Map<string, { namespace: string; name: string }>();
  for (const { providerRef } of wanted) {
    const to = { namespace: providerRef.namespace || canary.metadata.namespace, name: providerRef.name };
    found.set(`${to.namespace}/${to.name}`, to);
  }
  return [...found.values()];
}

function fieldsOf(input: Seeing, from: Release, alert: ReleaseAlert): Field[] {
  const { event } = input;
  const { nowMs } = event.facts;
  const fields: Field[] = alert.isDetailed ? setup(input) : [];
  fields.push({ name: 'Revision', value: from.revision.slice(0, 15) });
  if (alert.reason !== 'Initialized') fields.push({ name: 'Canary weight', value: `${weightOf(from.routes)}%` });
  for (const verdict of alert.verdicts ?? []) fields.push(...verdictFields(verdict));
  if (alert.outcome) fields.push({ name: 'Duration', value: `${Math.round((nowMs - from.startedMs) / 1000)}s` });
  return fields.map(({ name, value }) => ({ name, value: Array.from(value).slice(0, LONGEST_VALUE).join('') }));
}

/** How the release is set up, in Flagger's order (05-A21–A24). */
function setup({ event }: Seeing): Field[] {
  const { canary, supports } = event.facts;
  const { targetRef, analysis } = canary.spec;
  const routing = trafficRouting(canary, supports);
  return [
    { name: 'Target', value: `${targetRef.kind}/${targetRef.name}.${canary.metadata.namespace}` },
    { name: 'Failed checks threshold', value: String(thresholdOf(analysis)) },
    { name: 'Progress deadline', value: `${progressDeadlineMs(canary) / 1000}s` },
    ...(routing === undefined ? [] : [{ name: 'Traffic routing', value: routing }]),
  ];
}

/** Absent where no step is given; a provider without weights counts as written, not as it is run (05-A24). */
function trafficRouting(canary: Canary, supports: Parameters<typeof strategyOf>[1]): string | undefined {
  const { stepWeight = 0, stepWeights = [], maxWeight = 0, iterations = 0 } = canary.spec.analysis;
  const strategy = strategyOf(canary, { ...supports, weights: true });
  if (strategy === 'a/b') return `A/B test, ${iterations} iterations`;
  if (strategy === 'blue/green') return `Blue/Green, ${iterations} iterations`;
  if (stepWeight > 0) return `Canary, step weight ${stepWeight}, max weight ${maxWeight}`;
  return stepWeights.length > 0 ? `Canary, step weights ${stepWeights.join(',')}, max weight ${maxWeight}` : undefined;
}

/** Failed and unmeasured are two things (I11), so the verdict is shown too. */
function verdictFields({ check, verdict, value, limit, reason }: Verdict): Field[] {
  return [
    { name: 'Metric', value: check },
    { name: 'Verdict', value: verdict },
    ...(value === undefined ? [] : [{ name: 'Value', value: String(value) }]),
    ...(limit === undefined ? [] : [{ name: 'Bound', value: limit }]),
    ...(verdict === 'unmeasured' && reason !== undefined ? [{ name: 'Cause', value: reason }] : []),
  ];
}
