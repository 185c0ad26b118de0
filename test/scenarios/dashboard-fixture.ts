import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium, type Page } from 'playwright-core';
import { CanaryModel } from '../../src/dashboard/canary-model.ts';
import { startDashboard } from '../../src/dashboard/dashboard-server.ts';
import { newSecret } from '../../src/dashboard/sessions.ts';
import { canaryRow } from '../../src/dashboard/views/canary-row.ts';
import { clusterViews } from '../../src/dashboard/views/cluster-views.ts';
import type { KubeCluster } from '../../src/kube/kube-cluster.ts';
import { startPodinfoFixture } from './podinfo-fixture.ts';

/** Debian's Chromium; CHROMIUM names another one. */
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const AT_ONCE = 20;

export interface DashboardFixture {
  readonly cluster: KubeCluster;
  readonly base: string;
  /** A page with a session, of this size and scheme. */
  open(path: string, options?: { width?: number; height?: number; colorScheme?: 'light' | 'dark'; bypassCSP?: boolean }): Promise<Page>;
  /** Writes so many Canaries more, in ten namespaces. */
  addCanaries(count: number): Promise<void>;
  stop(): Promise<void>;
}

/** The dashboard over a cluster, and Chromium. `stopCluster` is called at the end. */
export async function serveDashboard(cluster: KubeCluster, stopCluster: () => Promise<void>): Promise<DashboardFixture> {
  const token = newSecret();
  const model = new CanaryModel(cluster, undefined, canaryRow);
  const server = await startDashboard({ port: 0, token, model, views: clusterViews({ cluster, namespace: undefined }, 'istio') });
  const base = `http://127.0.0.1:${server.port}`;
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  const first = await browser.newContext();
  const page = await first.newPage();
  await page.goto(`${base}/login?token=${token}`);
  // It keeps the proof of its session before it shows anything.
  await page.locator('#content').waitFor();
  const storageState = await first.storageState();
  return {
    cluster,
    base,
    async open(path, { width = 1280, height = 800, ...options } = {}) {
      const context = await browser.newContext({ storageState, viewport: { width, height }, ...options });
      const page = await context.newPage();
      await page.goto(`${base}${path}`);
      return page;
    },
    async addCanaries(count) {
      const namespaces = Array.from({ length: 10 }, (_, index) => `team-${index}`);
      for (const name of namespaces) await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
      const addCanary = async (index: number) => {
        const name = `app-${String(index).padStart(4, '0')}`;
        await cluster.create({
          apiVersion: 'flagger.app/v1beta1',
          kind: 'Canary',
          metadata: { name, namespace: namespaces[index % namespaces.length] ?? '' },
          spec: {
            targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
            service: { port: 80 },
            analysis: { interval: '1m', threshold: 5, stepWeight: 10, maxWeight: 50 },
          },
        });
      };
      for (let index = 0; index < count; index += AT_ONCE)
        await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - index) }, (_, nth) => addCanary(index + nth)));
    },
    async stop() {
      await browser.close();
      model.stop();
      await server.stop();
      await stopCluster();
    },
  };
}

/** The dashboard over the embedded cluster of `startPodinfoFixture`. */
export async function startDashboardFixture(): Promise<DashboardFixture> {
  const { cluster, stop } = await startPodinfoFixture();
  return serveDashboard(cluster, stop);
}

/** Serious and critical findings of axe-core. The page must have been opened with `bypassCSP`, or axe could not be put into it. */
export async function seriousFindings(page: Page): Promise<string[]> {
  await page.evaluate(readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8'));
  const findings = (await page.evaluate('axe.run().then(({ violations }) => violations)')) as { id: string; impact: string }[];
  return findings.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id, impact }) => `${id} (${impact})`);
}
