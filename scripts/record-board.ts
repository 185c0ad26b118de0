/**
 * Draws docs/boards/istio.svg: a real Prometheus watches the demo's cluster and a controller during a promoted release and a rolled back release, and answers
 * the queries of the dashboard. Its figures are those of one run, so that no check compares them.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { APP, type DemoCluster, NAMESPACE, startDemoCluster } from '../src/cli/demo/demo-cluster.ts';
import { startDemoUsers } from '../src/cli/demo/users.ts';
import { freePort } from '../test/e2e/free-port.ts';
import { startRealPrometheus } from '../test/e2e/real-prometheus.ts';
import { startGuarded } from '../test/scenarios/guarded-process.ts';
import { answersOf } from './dashboards/answers.ts';
import { askPrometheus, chooseVariables } from './dashboards/choose-variables.ts';
import { drawDashboard } from './dashboards/draw.ts';
import { dashboardOf } from './dashboards/index.ts';

const CANARY = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: APP, namespace: NAMESPACE };
const SCRAPE_MS = 500;
const RATE_INTERVAL = '6s';
const BESIDE_MS = 10_000;
/** Marks of one kind within a minute are one. */
const BETWEEN_MS = 45_000;
const WITHIN_MS = 180_000;

async function isPhase(demo: DemoCluster, phase: string): Promise<void> {
  const deadlineMs = performance.now() + WITHIN_MS;
  for (;;) {
    const { status } = ((await demo.embedded.cluster.get(CANARY)) ?? {}) as { status?: { phase?: string } };
    if (status?.phase === phase) return;
    if (performance.now() > deadlineMs) throw new Error(`the Canary is ${status?.phase}, and not ${phase}`);
    await sleep(200);
  }
}

const folder = mkdtempSync(join(tmpdir(), 'serin-board-'));
const demo = await startDemoCluster('istio', folder);
const port = await freePort();
const prometheus = await startRealPrometheus({
  targets: [demo.embedded.mesh.metricsUrl, `http://127.0.0.1:${port}/metrics`],
  scrapeIntervalMs: SCRAPE_MS,
});
const flags = [`--kubeconfig=${demo.kubeconfigFile}`, `--metrics-server=${prometheus.url}`, '--min-analysis-interval=1s', `--port=${port}`];
const program = [process.execPath, join(import.meta.dirname, '..', 'src', 'cli', 'main.ts'), 'controller'] as const;
const controller = startGuarded('controller', [...program, ...flags, '--scale-down-delay=2s'], join(folder, 'controller.log'));
const users = startDemoUsers(demo.embedded.mesh.urls, 2);
try {
  await demo.embedded.cluster.patch(CANARY, { spec: { analysis: { interval: '4s' } } });
  await isPhase(demo, 'Initialized');
  await sleep(BESIDE_MS);
  const fromMs = Date.now() - BESIDE_MS / 2;
  await demo.deploy('2', {});
  await isPhase(demo, 'Succeeded');
  await sleep(BETWEEN_MS);
  await demo.deploy('3', { ERROR_EVERY: '5', LATENCY_MS: '600' });
  await isPhase(demo, 'Failed');
  await sleep(BESIDE_MS / 2);
  const dashboard = dashboardOf('serin-istio');
  const values = await chooseVariables(prometheus.url, dashboard, { __rate_interval: RATE_INTERVAL });
  const known = await askPrometheus<Record<string, string>[]>(prometheus.url, 'series', { 'match[]': 'flagger_canary_metric_analysis' });
  const metrics = [...new Set(known.map(({ metric = '' }) => metric))].sort();
  const answers = await answersOf(prometheus.url, dashboard, values, metrics, { fromMs, toMs: Date.now(), stepMs: 1_000 });
  const pictures = join(import.meta.dirname, '..', 'docs', 'boards');
  mkdirSync(pictures, { recursive: true });
  writeFileSync(join(pictures, 'istio.svg'), drawDashboard(answers, 'scripts/record-board.ts'));
} finally {
  await users.stop();
  await controller.stop('TERM');
  await prometheus.stop();
  await demo.stop();
  rmSync(folder, { recursive: true });
}
