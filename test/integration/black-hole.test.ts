import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { changeImage, createApplications } from '../bench/applications.ts';
import { type BareCluster, startBareCluster } from '../bench/bare-cluster.ts';
import { type CanaryWatch, watchCanaries } from '../bench/canary-watch.ts';
import { program } from '../fakes/program.ts';
import type { Raw } from '../fakes/raw.ts';
import { type BlackHoleProxy, startBlackHoleProxy } from '../scenarios/adversity/black-hole-proxy.ts';
import { type GuardedProcess, startGuarded } from '../scenarios/guarded-process.ts';

const BOUND_MS = 90_000;
const WATCHED = ['canaries', 'deployments', 'services', 'metrictemplates', 'virtualservices', 'destinationrules'];

let bare: BareCluster;
let proxy: BlackHoleProxy;
let controller: GuardedProcess;
let watch: CanaryWatch;
const folder = mkdtempSync(join(tmpdir(), 'serin-black-hole-'));
const logFile = join(folder, 'controller.log');

beforeAll(async () => {
  bare = await startBareCluster();
  proxy = await startBlackHoleProxy(bare.apiUrl);
  watch = watchCanaries(bare.cluster);
  await createApplications(bare.cluster, 1, 'istio');
  const flags = ['--port=0', '--log-level=debug', '--min-analysis-interval=1s', '--scale-down-delay=1s', '--watch-silence=2s'];
  const command: [string, ...string[]] = [process.execPath, program(), 'controller', `--kubeconfig=${bare.kubeconfigFile}`];
  controller = startGuarded('controller', [...command, `--master=${proxy.url}`, ...flags], logFile);
});

afterAll(async () => {
  await controller?.stop('TERM');
  watch?.stop();
  await proxy?.stop();
  await bare?.stop();
  rmSync(folder, { recursive: true, force: true });
});

it('a release goes on when each watch in turn is lost without a word', async () => {
  await watch.until(1, 'are initialized', ({ status }: Raw) => status?.phase === 'Initialized', BOUND_MS);
  await changeImage(bare.cluster, 0, '2');
  await watch.until(1, 'progress', ({ status }: Raw) => status?.canaryWeight > 0, BOUND_MS);
  const lost: string[] = [];
  // Pods are watched until the release is promoted: they come first.
  const resources = new Set(['pods', ...proxy.streams().map((stream) => stream.resource)]);
  for (const resource of resources) {
    const last = () => proxy.streams().findLast((stream) => stream.resource === resource && stream.isOpen);
    // Between two streams of a kind there is a moment without one.
    await expect.poll(last, { timeout: BOUND_MS, interval: 20 }).toBeDefined();
    const before = proxy.streams().length;
    last()?.blackHole();
    lost.push(resource);
    const openedAgain = () =>
      proxy
        .streams()
        .slice(before)
        .some((stream) => stream.resource === resource);
    await expect.poll(openedAgain, { timeout: BOUND_MS, interval: 20, message: readFileSync(logFile, 'utf8') }).toBe(true);
  }
  expect(lost).toEqual(expect.arrayContaining(WATCHED.slice(0, 5)));
  await watch.until(1, 'succeeded', ({ status }: Raw) => status?.phase === 'Succeeded', BOUND_MS);
  expect(controller.hasExited(), 'the controller was not restarted').toBe(false);
});

it('a change that a lost watch did not deliver is seen after the silence', async () => {
  // Every stream that there is, so that nothing else can wake the Canary.
  for (const stream of proxy.streams()) if (stream.isOpen) stream.blackHole();
  const before = bare.requestCounts('serin-controller')['list deployments'];
  await changeImage(bare.cluster, 0, '3');
  await watch.until(1, 'progress', ({ status }: Raw) => status?.phase === 'Progressing', BOUND_MS);
  expect(readFileSync(logFile, 'utf8')).toContain('watch fell silent');
  expect(bare.requestCounts('serin-controller')['list deployments'], 'reopened from the last version, without a LIST').toBe(before);
});
