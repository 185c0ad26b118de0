/**
 * The dashboard over 1,000 Canaries in Chromium: `node test/bench/measure-dashboard.ts` on the embedded cluster, with `--real` on etcd and kube-apiserver. Prints
 * milliseconds.
 */
import { performance } from 'node:perf_hooks';
import { startRealCluster } from '../e2e/real-cluster.ts';
import { type DashboardFixture, serveDashboard, startDashboardFixture } from '../scenarios/dashboard-fixture.ts';
import { applyCrds, OWN_CRDS } from '../scenarios/environment.ts';

const RUNS = 5;
const CANARIES = 1_000;
const median = (values: readonly number[]): number => Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0);

/** For the page: the time of the first frame in which the link to this address holds the text. */
const paintedWith = (address: string, text: string): string => `new Promise((resolve) => {
  const done = () => requestAnimationFrame(() => setTimeout(() => resolve(Date.now())));
  const holds = () => document.querySelector('a[href="${address}"]').textContent.includes('${text}');
  const watch = new MutationObserver(() => { if (holds()) { watch.disconnect(); done(); } });
  watch.observe(document.querySelector('main'), { subtree: true, childList: true, characterData: true });
})`;

async function onRealCluster(): Promise<DashboardFixture> {
  const { cluster, stop } = await startRealCluster();
  await applyCrds(cluster, [OWN_CRDS]);
  return serveDashboard(cluster, stop);
}

const isReal = process.argv.includes('--real');
const fixture = await (isReal ? onRealCluster() : startDashboardFixture());
try {
  await fixture.addCanaries(CANARIES);
  const [all, paints, rows, updates]: [string, number[], number[], number[]] = [isReal ? '1000 of 1000' : '1001 of 1001', [], [], []];
  for (let run = 0; run < RUNS; run += 1) {
    const page = await fixture.open('/');
    const openedMs = performance.now();
    await page.reload();
    await page.getByText(all).waitFor();
    rows.push(performance.now() - openedMs);
    paints.push(Number(await page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0")));
    const name = `app-${String(run).padStart(4, '0')}`;
    const ref = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', namespace: `team-${run}`, name };
    const painted = page.evaluate<number>(paintedWith(`/canaries/${ref.namespace}/${name}`, 'Failed'));
    const writtenMs = Date.now();
    const status = { phase: 'Failed', canaryWeight: 0, failedChecks: 0, iterations: 0 };
    await fixture.cluster.patch(ref, { status }, { subresource: 'status' });
    updates.push((await painted) - writtenMs);
    await page.context().close();
  }
  const figures = {
    cluster: isReal ? 'real' : 'embedded',
    firstPaintMs: median(paints),
    allRowsMs: median(rows),
    updateMs: median(updates),
  };
  process.stdout.write(`${JSON.stringify(figures)}\n`);
} finally {
  await fixture.stop();
}
process.exit();
