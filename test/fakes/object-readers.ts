import { readdirSync, readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import type { Provider } from '../../src/api/canary.ts';
import { findings } from '../../src/api/findings.ts';
import { foreignRefs } from '../../src/api/foreign-refs.ts';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { parseAlertProvider, parseCanary, parseMetricTemplate } from '../../src/api/parse-canary.ts';
import { parseStatus } from '../../src/api/parse-status.ts';
import { replayOf, supposedOf } from '../../src/cli/journal/replay-command.ts';
import { supposedAnalysis } from '../../src/cli/journal/supposed-analysis.ts';
import { suppose } from '../../src/engine/journal/suppose.ts';
import { renderQuery } from '../../src/metrics/query-template.ts';
import { queryVariables } from '../../src/metrics/query-variables.ts';
import { secretProblems, templateProblems } from '../../src/metrics/template-problems.ts';
import { formats } from '../../src/notifiers/index.ts';
import { receiverProblems } from '../../src/notifiers/receiver-problems.ts';
import { partOf } from '../../src/reading/journals/read-journals.ts';
import { routers } from '../../src/routers/index.ts';
import { hookPayload } from '../../src/webhooks/hook-payload.ts';
import { hooksOf } from '../../src/webhooks/run-hooks.ts';
import { readAnchor, readTemplateRevision, renderAnchor, renderTemplateRevision } from '../../src/workloads/anchor.ts';
import { remembered, workloadFor } from '../../src/workloads/index.ts';
import { packJournal, readJournal, renderJournal } from '../../src/workloads/journal-record.ts';
import { isScaler, scalerFor } from '../../src/workloads/scalers/index.ts';
import { aCanary, casesIn, type GoldenCase } from '../contracts/routers-cases.ts';
import type { Fuzzed } from './fuzz.ts';
import { changed, hostileJson } from './hostile-values.ts';
import { raw } from './raw.ts';
import { goldenFolders, routeAll } from './route-reader.ts';
import { sampleJournal } from './sample-journal.ts';
import { aCanary as aPlannedCanary, World } from './world.ts';

const examples = new URL('../../examples/', import.meta.url);
const documents = readdirSync(examples)
  .filter((file) => file.endsWith('.yaml'))
  .flatMap((file) => parseAllDocuments(readFileSync(new URL(file, examples), 'utf8')).map((document): KubeObject => document.toJS()));
const ofKind = (kind: string) => documents.filter((object) => object?.kind === kind);
const alertProvider = {
  ...{ apiVersion: 'flagger.app/v1beta1', kind: 'AlertProvider', metadata: { name: 'chat', namespace: 'shop' } },
  spec: { type: 'slack', channel: 'c', username: 'u', address: 'http://hook/', proxy: 'http://p:1', secretRef: { name: 's' } },
};

const status = {
  ...{ phase: 'Progressing', failedChecks: 1, canaryWeight: 10, iterations: 1, lastAppliedSpec: 'a', lastPromotedSpec: 'b' },
  trackedConfigs: { 'configmap/a': 'x' },
  conditions: [{ type: 'Promoted', status: 'Unknown', reason: 'Progressing', message: 'm', lastTransitionTime: '2026-01-01T00:00:00Z' }],
  release: {
    ...{ targetUid: 't', revision: 's1:b', observedGeneration: 1, run: 1, step: 'analysing', routes: { kind: 'weighted', canary: 10 } },
    ...{ failedChecks: 1, iterations: 1, startedMs: 1, stepStartedMs: 1, wakeAtMs: 2, preRolloutPassed: true, confirmed: true },
    verdicts: [{ check: 'rate', verdict: 'passed', value: 1, limit: 'above 1' }],
    ...{ failures: { rate: 1 }, recent: { rate: [{ atMs: 1, verdict: 'passed', value: 1 }] }, configs: { 'configmap/a': { uid: 'u' } } },
    weights: [{ atMs: 1, weight: 10 }],
    routedFor: { provider: 'istio', spec: { service: { port: 80 } } },
    deliveries: [
      { key: 'k', kind: 'alert', message: 'm', sinceMs: 1, alert: { reason: 'R', severity: 'info', fields: [{ name: 'a', value: 'b' }] } },
    ],
  },
};

const canary = aCanary();
const target = documents.find(({ kind }) => kind === 'Deployment') as KubeObject;
const anchor = renderAnchor(canary, {
  target: { replicas: 2 },
  apexService: { selector: { app: 'shop' }, ports: [{ name: 'http', port: 80 }], labels: { a: 'b' } },
  canary: { metadata: { name: 'shop', namespace: 'prod', uid: 'c-1' }, spec: canary.spec },
});
const promoted = renderTemplateRevision(canary, { template: raw(target).spec.template }, 's1:a', 1);

const journal = sampleJournal();

function replayJournal(json: unknown): unknown {
  const read = partOf(json);
  if ('problem' in read) return read;
  const whole = { namespace: 'test', name: 'podinfo', run: 1, parts: [read.part], bytes: 0, problems: [] };
  return [replayOf(whole), supposedOf(whole, suppose(whole.parts, supposedAnalysis({ patch: {} })))];
}

/** All that is made of a Canary before any request. */
function readCanary(raw: KubeObject): unknown {
  const parsed = parseCanary(raw);
  if ('problems' in parsed) return parsed;
  const { analysis } = parsed.canary.spec;
  const metrics = (analysis.metrics ?? []).map((metric) => [
    renderQuery(metric.query ?? '{{ target }} {{ variables.a }}', queryVariables(parsed.canary, metric)),
  ]);
  const hooks = (['rollout', 'pre-rollout', 'event'] as const).flatMap((type) => hooksOf(parsed.canary, type));
  const payloads = hooks.map((hook) => hookPayload(parsed.canary, hook, { phase: 'Progressing', checksum: 'c' }));
  return [
    parsed,
    findings(parsed.canary, { provider: 'istio' }),
    foreignRefs(parsed.canary),
    workloadFor(parsed.canary.spec.targetRef),
    metrics,
    payloads,
  ];
}

function readTemplate(raw: KubeObject): unknown {
  const parsed = parseMetricTemplate(raw);
  if ('problems' in parsed) return parsed;
  const { spec } = parsed.metricTemplate;
  return [parsed, templateProblems(spec), secretProblems(spec, { username: 'u' })];
}

function readReceiver(raw: KubeObject): unknown {
  const parsed = parseAlertProvider(raw);
  return 'problems' in parsed ? parsed : [parsed, receiverProblems(parsed.alertProvider.spec)];
}

/** A controller that starts on this status, and the next minutes of its life. */
function resume(raw: unknown): unknown {
  const read = parseStatus(raw);
  if (read === undefined) return undefined;
  const planned = aPlannedCanary({ stepWeight: 10 });
  const world = new World({ ...planned, status: read });
  world.crash();
  for (let tick = 0; tick < 3; tick += 1) world.tick();
  return read;
}

/** Alerts that a status lists as not yet sent, in the format of each receiver. */
function alertsOf(raw: unknown): unknown {
  const settings = { address: 'http://hook/', channel: 'c', username: 'u' };
  return parseStatus(raw)?.release?.deliveries?.map(({ key, message, sinceMs, alert }) =>
    Object.values(formats).map((format) =>
      format.body(
        {
          ...{ key, canary: { name: 'app', namespace: 'shop' }, severity: alert?.severity ?? 'info', reason: alert?.reason ?? '' },
          ...{ text: message, fields: alert?.fields ?? [], atMs: sinceMs },
        },
        settings,
      ),
    ),
  );
}

/** A target whose types the API server has checked. */
function readTarget(object: KubeObject): unknown {
  const workload = workloadFor(object);
  if ('unsupported' in workload) return workload;
  const seen = remembered(object);
  const selector = workload.selectors({ target: object }, ['app', 'name', 'app.kubernetes.io/name']);
  const options = { includeLabelPrefix: ['*'], selectorLabels: ['app'], revision: 's1:a', replicas: 1 };
  if ('problem' in selector) return [seen, selector];
  const primary = workload.renderPrimary(canary, object, { ...options, selector });
  return [seen, primary, workload.templateMatches(primary, workload.promotedPart(primary)), workload.refuses?.(object)];
}

function readScaler({ canary: owner, scaler }: { canary: GoldenCase['canary']; scaler: KubeObject }): unknown {
  if (!isScaler(scaler.kind)) return undefined;
  const { limits, renderPrimary, raisePatch, pausePatch, resumePatch } = scalerFor({ kind: scaler.kind as 'ScaledObject' });
  return [
    limits(scaler),
    renderPrimary(owner, scaler, { atLeast: 3 }),
    raisePatch(scaler, 2),
    raisePatch(scaler, undefined),
    pausePatch(scaler),
    resumePatch(scaler),
  ];
}

function routed(provider: Provider, folder: string): Fuzzed {
  const cases = casesIn(folder);
  return {
    feed: changed(cases, { textsOnly: true }),
    read(one: GoldenCase) {
      const kind = one.routes.kind;
      if (!['weighted', 'matched', 'mirrored'].includes(kind) || 'problems' in parseCanary(one.canary as never)) return;
      routeAll(routers[provider], one);
    },
  };
}

const scalerCases = casesIn('scalers').flatMap(({ canary: owner, scaler }) => (scaler ? [{ canary: owner, scaler }] : []));

/** All that reads an object which a tenant can write. */
export const objectReaders: Readonly<Record<string, Fuzzed>> = {
  'a Canary': { feed: changed(ofKind('Canary')), read: readCanary },
  'a MetricTemplate': { feed: changed(ofKind('MetricTemplate')), read: readTemplate },
  'an AlertProvider': { feed: changed([alertProvider]), read: readReceiver },
  'anything as a Canary': { feed: hostileJson, read: readCanary },
  'a status': { feed: changed([status]), read: parseStatus },
  'a release that goes on from its status': { feed: changed([status]), read: resume },
  'alerts that a status lists': { feed: changed([status]), read: alertsOf },
  'an anchor': { feed: changed([anchor], { within: 'data' }), read: readAnchor },
  'a promoted template': { feed: changed([promoted], { within: 'data' }), read: readTemplateRevision },
  'a record of a journal': {
    feed: changed([renderJournal(journal, packJournal(journal) ?? '', { name: 'anchor', uid: 'a-1' })], { within: 'data' }),
    read: readJournal,
  },
  'a journal': { feed: changed([journal]), read: replayJournal },
  'a target': {
    feed: changed(
      documents.filter(({ kind }) => ['Deployment', 'DaemonSet', 'Service'].includes(kind)),
      { textsOnly: true },
    ),
    read: readTarget,
  },
  'an autoscaler': { feed: changed(scalerCases, { textsOnly: true }), read: readScaler },
  ...Object.fromEntries(
    (Object.entries(goldenFolders) as [Provider, string][]).map(([provider, folder]) => [
      `routes of ${provider}`,
      routed(provider, folder),
    ]),
  ),
};
