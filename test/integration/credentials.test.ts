import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AlertProviderType, alertProviders } from '../../src/api/alert-provider.ts';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { formats } from '../../src/notifiers/index.ts';
import { changeImage, createApplications, NAMESPACE, nameOf } from '../bench/applications.ts';
import { type BareCluster, startBareCluster } from '../bench/bare-cluster.ts';
import { backendCases } from '../contracts/metric-backends/index.ts';
import { program } from '../fakes/program.ts';
import { raw } from '../fakes/raw.ts';
import { eventually } from '../scenarios/eventually.ts';
import { type GuardedProcess, startGuarded } from '../scenarios/guarded-process.ts';
import { until } from '../scenarios/until.ts';
import { type EchoServer, startEchoServer } from './credentials/echo-server.ts';
import { leakIn, planted } from './credentials/planted.ts';
import { templates } from './credentials/templates.ts';

const folder = mkdtempSync(join(tmpdir(), 'serin-credentials-'));
let bare: BareCluster;
let echo: EchoServer;
let controller: GuardedProcess;

const hooks = ['confirm-rollout', 'pre-rollout', 'rollout', 'confirm-promotion', 'post-rollout', 'rollback'];

const metadata = (name: string) => ({ name, namespace: NAMESPACE });
const withUserInfo = (origin: string, what: string) => origin.replace('//', `//${planted(`${what}-user`)}:${planted(`${what}-p%40ss`)}@`);

async function createSecret(name: string, data: Record<string, string>, labels = {}): Promise<void> {
  const encoded = Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]));
  await bare.cluster.create({ apiVersion: 'v1', kind: 'Secret', metadata: { ...metadata(name), labels }, data: encoded });
}

async function createTemplate([name, { type, known, provider = {}, secret }]: [string, (typeof templates)[string]]): Promise<void> {
  const address = `${name === 'prometheus-address' ? withUserInfo(echo.origin, 'template') : echo.origin}/${name}`;
  if (secret) await createSecret(name, secret);
  const spec = { provider: { type, address, ...provider, ...(secret && { secretRef: { name } }) }, query: known.query };
  await bare.cluster.create({ apiVersion: 'flagger.app/v1beta1', kind: 'MetricTemplate', metadata: metadata(name), spec });
}

/** Its path begins with that of the API. */
const isForge = (type: string): boolean => formats[type as AlertProviderType]?.marksCommits === true;
const pathOf = (type: string): RegExp => {
  if (!isForge(type)) return new RegExp(`/alerts/${type}/`);
  return type === 'github' ? /^\/api\/v3\/repos\// : /^\/api\/v4\/projects\//;
};

async function createProvider(type: AlertProviderType): Promise<void> {
  const path = isForge(type) ? `alerts/${planted('alert-path')}` : `alerts/${type}/${planted('alert-path')}`;
  const address = `${withUserInfo(echo.origin, 'alert')}/${path}?key=${planted('alert-query')}`;
  await createSecret(type, { address: `${address}\n`, token: planted('alert-token'), signingKey: planted('signing') });
  const spec = { type, secretRef: { name: type } };
  await bare.cluster.create({ apiVersion: 'flagger.app/v1beta1', kind: 'AlertProvider', metadata: metadata(type), spec });
}

const target = (index: number) => ({ apiVersion: 'apps/v1', kind: 'Deployment', name: nameOf(index), namespace: NAMESPACE });
const canary = (index = 0) => ({ apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: nameOf(index), namespace: NAMESPACE });

beforeAll(async () => {
  [bare, echo] = await Promise.all([startBareCluster(), startEchoServer()]);
  await createApplications(bare.cluster, 2, 'kubernetes');
  await createSecret('tracked', { password: planted('tracked') });
  await createSecret('hook', { signingKey: planted('hook-signing'), 'header.Authorization': `Bearer ${planted('hook-header')}` });
  await Promise.all([...Object.entries(templates).map(createTemplate), ...alertProviders.map(createProvider)]);
  await bare.cluster.patch(target(0), {
    metadata: { annotations: { 'serin.dev/commit': '0123456789abcdef0123456789abcdef01234567' } },
    spec: { template: { spec: { volumes: [{ name: 't', secret: { secretName: 'tracked' } }] } } },
  });
  const analysis = {
    iterations: 3,
    metrics: [
      { name: 'request-success-rate', thresholdRange: { min: 1 } },
      { name: 'inline', query: 'inline', thresholdRange: { min: 1 } },
      ...Object.keys(templates).map((name) => ({ name, templateRef: { name }, thresholdRange: { min: 1 } })),
    ],
    alerts: alertProviders.map((name) => ({ name, providerRef: { name } })),
    webhooks: hooks.map((type) => ({
      name: type,
      type,
      url: `${type === 'rollout' ? withUserInfo(echo.origin, 'hook') : echo.origin}/${type === 'rollback' ? 'back' : 'hooks'}/${type}`,
      ...(type === 'pre-rollout' || type === 'rollback' ? { secretRef: { name: 'hook' } } : {}),
    })),
  };
  const metricsServer = `${withUserInfo(echo.origin, 'server')}/server`;
  await createSecret('server', { 'header.X-Scope-OrgID': planted('server-header') }, { 'serin.dev/usable-by': 'canaries' });
  const metricsServerSecretRef = { name: 'server' };
  await bare.cluster.patch(canary(), { spec: { metricsServer, metricsServerSecretRef, analysis } });
});

afterAll(async () => {
  await controller?.stop('TERM');
  await Promise.all([echo?.stop(), bare?.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

function start(): GuardedProcess {
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, readFileSync(bare.kubeconfigFile, 'utf8').replace(/user: \{\}/, `user: { token: ${planted('kube')} }`));
  const flags = ['--port=0', '--log-level=debug', '--min-analysis-interval=1s', '--scale-down-delay=0s', `--kubeconfig=${kubeconfig}`];
  const global = [
    `--metrics-server=${withUserInfo(echo.origin, 'global')}/server`,
    `--slack-proxy-url=${withUserInfo(echo.origin, 'proxy')}`,
    '--slack-channel=general',
    // Named, so that refusals are shown: what is not shown hides nothing.
    '--allowed-addresses=127.0.0.0/8',
  ];
  return startGuarded('controller', [process.execPath, program(), 'controller', ...flags, ...global], join(folder, 'controller.log'), {
    ...process.env,
    SLACK_URL: `${echo.origin}/alerts/global/${planted('slack-path')}`,
    SLACK_TOKEN: planted('slack-token'),
    METRICS_SERVER_TOKEN: planted('server-token'),
    EVENT_WEBHOOK_URL: `${withUserInfo(echo.origin, 'event')}/events/${planted('event-path')}`,
  });
}

const log = () => readFileSync(join(folder, 'controller.log'), 'utf8');
const phaseIs = (phase: string) => (now: KubeObject | undefined) => raw(now)?.status?.phase === phase;
const stores = () =>
  Object.fromEntries(Object.entries(bare.snapshot()).map(([store, objects]) => [store.split('/').at(-1) ?? store, objects]));

it('no credential shows in logs, events, statuses, metrics or messages, while every endpoint refuses and echoes what it was sent', async () => {
  const all = [...Object.keys(templates), 'server', 'alerts', 'api', 'events', 'back'];
  for (const first of all) echo.refuses(first, 'always');
  controller = start();
  for (const index of [0, 1]) await until(bare.cluster, canary(index), 'is initialized', phaseIs('Initialized'));
  await eventually('backends are missed', () => JSON.stringify(stores().events ?? []).includes('MetricsUnavailable'));

  await changeImage(bare.cluster, 0, '2');
  await changeImage(bare.cluster, 1, '2');
  const failed = await until(bare.cluster, canary(), 'failed', phaseIs('Failed'));
  await until(bare.cluster, canary(1), 'succeeded', phaseIs('Succeeded'));
  // Each backend that shows a text must have been reported with its refusal, or nothing has been tried. Of the API of Kubernetes only a word is shown.
  const verdicts = JSON.stringify(raw(failed)?.status?.release);
  const showing = Object.values(backendCases).filter(({ refusalShown, inCluster }) => refusalShown !== undefined && !inCluster);
  for (const { name: who } of showing) expect(verdicts).toMatch(new RegExp(`${who} (answered 400|refused the program: 400): .{40}`));

  const saidOf = (store: string, name: string): string =>
    JSON.stringify(stores()[store]?.find((one) => one.metadata.name === name)?.status);
  expect(saidOf('metrictemplates', 'datadog')).toMatch(/"Valid","status":"True".*"Answering","status":"False".*Datadog answered 400/);
  expect(saidOf('alertproviders', 'slack')).toMatch(/"Delivering","status":"False".*HTTP 503/);

  for (const first of all.filter((one) => one !== 'back')) echo.refuses(first, 'once');
  echo.refuses('hooks', 'once');
  await changeImage(bare.cluster, 0, '3');
  await until(bare.cluster, canary(), 'succeeded', phaseIs('Succeeded'));
  await eventually('all hooks were called', () => hooks.every((type) => echo.seen.some(({ path }) => path.endsWith(`/${type}`))));
  const posted = (path: RegExp) => echo.seen.filter((one) => path.test(one.path)).length;
  for (const type of [...alertProviders, 'global']) await eventually(`${type} was posted to`, () => posted(pathOf(type)) > 1);

  const { port } = JSON.parse(
    log()
      .split('\n')
      .find((line) => line.includes('serin controller started')) ?? '{}',
  );
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  expect(metrics).toContain('flagger_canary_status');
  await controller.stop('TERM');

  const { secrets: _, canaries = [], metrictemplates = [], alertproviders = [], ...others } = stores();
  const statuses = [...canaries, ...metrictemplates, ...alertproviders].map(({ metadata: { annotations }, status }) => ({
    annotations,
    status,
  }));
  const texts: Record<string, string> = {
    ...Object.fromEntries(Object.entries(others).map(([store, objects]) => [store, JSON.stringify(objects)])),
  };
  for (const file of readdirSync(folder).filter((name) => name !== 'kubeconfig')) texts[file] = readFileSync(join(folder, file), 'utf8');
  Object.assign(texts, { metrics, statuses: JSON.stringify(statuses), posted: echo.seen.map(({ body }) => body).join('\n') });
  expect(Object.keys(texts)).toEqual(expect.arrayContaining(['events', 'controllerrevisions', 'controller.log', 'statuses', 'posted']));
  expect(texts['controller.log']).toContain('delivery failed');
  for (const [where, text] of Object.entries(texts)) expect.soft(leakIn(text), `a credential in ${where}`).toBeUndefined();
});

it('the search for credentials finds them in base64, at any offset', () => {
  for (const before of ['', 'a', 'ab', 'abc'])
    expect(leakIn(`x ${Buffer.from(`${before}${planted('x')}`).toString('base64')}`)).toMatch(/base64/);
  expect(leakIn('nothing of it in a word')).toBeUndefined();
});
