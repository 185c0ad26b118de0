import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { changeImage, createApplications, NAMESPACE, nameOf } from '../bench/applications.ts';
import { type BareCluster, startBareCluster } from '../bench/bare-cluster.ts';
import { raw } from '../fakes/raw.ts';
import { type ControllerRun, startProgram } from '../scenarios/controller.ts';
import { eventually } from '../scenarios/eventually.ts';
import { until } from '../scenarios/until.ts';
import { afterAll, beforeAll, enterVirtual, playTests, world } from '../scenarios/world.ts';
import { type EchoServer, startEchoServer } from './credentials/echo-server.ts';

enterVirtual(23);
playTests();

const folder = mkdtempSync(join(tmpdir(), 'serin-foreign-refs-'));
const apiVersion = 'flagger.app/v1beta1';
const canary = { apiVersion, kind: 'Canary', name: nameOf(0), namespace: NAMESPACE };
const metric = (namespace?: string) => ({
  name: 'm',
  templateRef: { name: 'shared', ...(namespace && { namespace }) },
  thresholdRange: { min: 1 },
});
const alert = (namespace?: string) => ({ name: 'a', providerRef: { name: 'shared', ...(namespace && { namespace }) } });
let bare: BareCluster;
let echo: EchoServer;
let controller: ControllerRun;

beforeAll(async () => {
  [bare, echo] = await Promise.all([startBareCluster({ world: world() }), startEchoServer(world().network)]);
  // Longer than the test: it ends in the middle of the release.
  const analysis = { iterations: 10_000, threshold: 10_000, metrics: [metric()], alerts: [alert()] };
  await createApplications(bare.cluster, 1, 'kubernetes', { analysis });
  await bare.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ops' } });
  for (const namespace of [NAMESPACE, 'ops']) {
    const metadata = { name: 'shared', namespace };
    const template = { provider: { type: 'prometheus', address: `${echo.origin}/prometheus/${namespace}` }, query: 'q' };
    await bare.cluster.create({ apiVersion, kind: 'MetricTemplate', metadata, spec: template });
    await bare.cluster.create({
      apiVersion,
      kind: 'AlertProvider',
      metadata,
      spec: { type: 'slack', address: `${echo.origin}/alerts/${namespace}` },
    });
  }
  controller = start();
});

function start(): ControllerRun {
  const flags = [
    '--port=0',
    '--min-analysis-interval=1s',
    '--no-cross-namespace-refs=true',
    '--allowed-addresses=127.0.0.0/8',
    `--kubeconfig=${bare.kubeconfigFile}`,
  ];
  return startProgram(flags, join(folder, 'log'));
}

afterAll(async () => {
  await controller?.stop('TERM');
  await Promise.all([echo?.stop(), bare?.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

const refusal = (now: KubeObject | undefined): string | undefined =>
  raw(now)?.status?.conditions?.find(({ type, status }: { type: string; status: string }) => type === 'Accepted' && status === 'False')
    ?.message;
const events = () => Object.entries(bare.snapshot()).flatMap(([store, objects]) => (store.endsWith('events') ? objects : []));

it('an edit to another namespace in the middle of a release holds it, is reported with its field, and is never used', async () => {
  await until(bare.cluster, canary, 'is initialized', (now) => raw(now)?.status?.phase === 'Initialized');
  await changeImage(bare.cluster, 0, '2');
  const isUnderWay = (now: KubeObject | undefined) => raw(now)?.status?.phase === 'Progressing' && raw(now).status.iterations > 0;
  let before = await until(bare.cluster, canary, 'is under way', isUnderWay);
  const upstreamRef = { apiVersion: 'gloo.solo.io/v1', kind: 'Upstream', name: 'u', namespace: 'ops' };
  const edits = [
    {
      path: 'spec.analysis.metrics[0].templateRef.namespace',
      edit: { analysis: { metrics: [metric('ops')] } },
      back: { analysis: { metrics: [metric()] } },
    },
    {
      path: 'spec.analysis.alerts[0].providerRef.namespace',
      edit: { analysis: { alerts: [alert('ops')] } },
      back: { analysis: { alerts: [alert()] } },
    },
    { path: 'spec.upstreamRef.namespace', edit: { upstreamRef }, back: { upstreamRef: null } },
  ];
  for (const { path, edit, back } of edits) {
    await bare.cluster.patch(canary, { spec: edit });
    const held = await until(bare.cluster, canary, `is refused for ${path}`, (now) => refusal(now)?.startsWith(`${path}: ops`));
    expect(raw(held)?.status?.phase).toBe('Progressing');
    const isReport = ({ reason, message, note }: KubeObject) => reason === 'CrossNamespaceRef' && String(message ?? note).startsWith(path);
    await eventually(`an event names ${path}`, () => events().some(isReport));
    await bare.cluster.patch(canary, { spec: back });
    const goesOn = (now: KubeObject | undefined) =>
      refusal(now) === undefined && raw(now)?.status?.iterations > (raw(held)?.status?.iterations ?? 0);
    before = await until(bare.cluster, canary, 'goes on', goesOn);
  }
  expect(raw(before)?.status?.failedChecks).toBe(0);
  const asked = [...new Set(echo.seen.map(({ path }) => path.split('/')[2]))];
  expect(asked).toEqual([NAMESPACE]);
});

it('I8: the template that is used says that it is valid and answers, and a restart says nothing again', async () => {
  const said = (namespace: string) =>
    Object.entries(bare.snapshot())
      .flatMap(([store, objects]) => (store.endsWith('metrictemplates') ? objects : []))
      .find(({ metadata }) => metadata.namespace === namespace);
  const typesOf = (object: KubeObject | undefined) =>
    (raw(object)?.status?.conditions ?? []).map(({ type, status }: { type: string; status: string }) => `${type} ${status}`).sort();
  expect(typesOf(said('ops'))).toEqual(['Valid True']);
  await eventually('the template answers', () => typesOf(said(NAMESPACE)).includes('Answering True'));
  expect(typesOf(said(NAMESPACE))).toEqual(['Answering True', 'Valid True']);
  await controller.stop('TERM');
  const before = [NAMESPACE, 'ops'].map((namespace) => said(namespace)?.metadata.resourceVersion);
  const asked = echo.seen.length;
  controller = start();
  await eventually('the release goes on', () => echo.seen.length > asked + 1);
  expect([NAMESPACE, 'ops'].map((namespace) => said(namespace)?.metadata.resourceVersion)).toEqual(before);
});
