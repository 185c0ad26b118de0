import type { Metric } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { parseCanary } from '../../api/parse-canary.ts';
import { defined } from '../../base/defined.ts';
import { HIDDEN, redactText } from '../../base/redact-text.ts';
import { limitOf, type MetricKind } from '../../metrics/limit.ts';
import { fieldDifferences } from '../../reading/changes/field-differences.ts';
import { comparedReports } from '../../reading/compared-reports.ts';
import type { Moment } from '../../rehearsal/recorder.ts';
import type { Rehearsal } from '../../rehearsal/rehearsal.ts';
import { blamedChecks, timesOf, verdictOf } from '../../rehearsal/verdict.ts';
import type { RehearsalResult, TimelineEntry } from './rehearsal-report.ts';

/** The server writes these. */
const OF_SERVER = ['managedFields', 'resourceVersion', 'uid', 'generation', 'creationTimestamp', 'selfLink'];
const LONGEST_BODY = 4_000;

/** A rehearsal as the report has it: times in seconds, writes as differences, and nothing that looks like a credential. */
export function resultOf(rehearsal: Rehearsal, object: KubeObject): RehearsalResult {
  const { canary, scenario, phase, message, ending, tookMs, requests, peakPods, moments, samples, checkNotes, notApplied, assumptions } =
    rehearsal;
  const { promoteMs, detectMs, rollBackMs } = timesOf(rehearsal);
  return {
    ...canary,
    scenario: { name: scenario.name, says: scenario.says, expect: scenario.expect },
    verdict: verdictOf(rehearsal),
    phase,
    message,
    ...(ending && { ending: { code: ending.code, detail: ending.detail } }),
    blamed: verdictOf(rehearsal) === 'promoted' ? [] : blamedChecks(rehearsal),
    seconds: {
      total: seconds(tookMs),
      ...(promoteMs !== undefined && { toPromote: seconds(promoteMs) }),
      ...(detectMs !== undefined && { toDetect: seconds(detectMs) }),
      ...(rollBackMs !== undefined && { toRollBack: seconds(rollBackMs) }),
    },
    requests,
    peakPods,
    checks: metricsIn(object).map((metric) => {
      const note = checkNotes.find(({ check }) => check === metric.name);
      const common = { check: metric.name, ...limitOf(metric, kindOf(metric)) };
      if (note === undefined) return { ...common, state: 'modelled' };
      return note.kind === 'assumed'
        ? { ...common, state: 'assumed', value: note.value }
        : { ...common, state: 'notModelled', why: note.why };
    }),
    timeline: moments.flatMap(entryOf),
    ...evidenceOf(moments, object),
    samples: samples.map(({ atMs, ...sample }) => ({ seconds: seconds(atMs), ...sample })),
    notApplied: notApplied.map(({ kind, name, why }) => ({ kind, name, why })),
    assumptions: [...assumptions],
  };
}

/** Absent where nothing is compared. */
function evidenceOf(moments: readonly Moment[], object: KubeObject): Pick<RehearsalResult, 'evidence'> {
  const parsed = parseCanary(object);
  if ('problems' in parsed) return {};
  const evidence = moments.flatMap((moment) => {
    if (moment.kind !== 'comparison') return [];
    const counted = comparedReports(parsed.canary, moment, true).filter(({ windows }) => windows > 0);
    return counted.map(({ metric, verdict, against, inFavour }) => ({ seconds: seconds(moment.atMs), metric, verdict, against, inFavour }));
  });
  return evidence.length === 0 ? {} : { evidence };
}

function metricsIn(object: KubeObject): readonly Metric[] {
  const parsed = parseCanary(object);
  return 'problems' in parsed ? [] : (parsed.canary.spec.analysis.metrics ?? []);
}

const kindOf = ({ name, templateRef, query }: Metric): MetricKind => {
  if (templateRef || query !== undefined) return 'custom';
  return name === 'request-success-rate' ? 'successRate' : name === 'request-duration' ? 'duration' : 'custom';
};

const seconds = (ms: number): number => Math.round(ms) / 1000;

function entryOf(moment: Moment): TimelineEntry[] {
  const at = { seconds: seconds(moment.atMs) };
  switch (moment.kind) {
    case 'fault':
      return [{ kind: 'scenario', ...at, message: moment.fault }];
    case 'phase':
      return [{ kind: 'phase', ...at, phase: moment.phase }];
    case 'weight':
      return [{ kind: 'traffic', ...at, routes: moment.routes, canaryWeight: moment.weightPercent }];
    case 'checks':
      return [
        {
          kind: 'checks',
          ...at,
          checks: moment.verdicts.map(({ check, verdict, value, requests, limit, reason }) =>
            defined({ check, verdict, value, requests, limit, reason }),
          ),
        },
      ];
    case 'comparison':
      return [];
    case 'event':
      return [{ kind: 'event', ...at, type: moment.type, reason: moment.reason, message: moment.message }];
    case 'call':
      return [callOf(at, moment.received)];
    case 'write':
      return writeOf(at, moment);
    default:
      return moment satisfies never;
  }
}

/** The address of an alert is a credential of its own, but for the host. */
function callOf(at: { seconds: number }, { url, hooks, status, body }: Extract<Moment, { kind: 'call' }>['received']): TimelineEntry {
  const shown = redactText(body).slice(0, LONGEST_BODY);
  const host = url.split(/[/?#]/)[0] ?? '';
  if (hooks.length === 0) return { kind: 'alert', ...at, to: host, status, body: shown };
  const to = url.replace(/\?.*$/, `?${HIDDEN}`);
  return { kind: 'webhook', ...at, to, webhooks: hooks.map(({ name, type }) => ({ name, type })), status, body: shown };
}

function writeOf(at: { seconds: number }, { ref, before, after }: Extract<Moment, { kind: 'write' }>): TimelineEntry[] {
  const changes = fieldDifferences(before && ownFields(before), ownFields(after)).map(({ field, promoted, target }) =>
    defined({ field, before: promoted, after: target }),
  );
  if (changes.length === 0) return [];
  const { kind, name, namespace } = ref;
  return [{ kind: 'write', ...at, object: { kind, ...(namespace && { namespace }), name }, created: before === undefined, changes }];
}

function ownFields({ metadata, status: _, ...rest }: KubeObject): object {
  const own = Object.fromEntries(Object.entries(metadata).filter(([key]) => !OF_SERVER.includes(key)));
  const isSecret = rest.kind === 'Secret' || rest.kind === 'ControllerRevision';
  const shown = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, isSecret && /data$/i.test(key) ? HIDDEN : value]));
  return { ...shown, metadata: own };
}
