/** The dashboard over 1,000 Canaries on the embedded cluster, in Chromium: `node test/bench/measure-dashboard.ts`. Prints milliseconds. */
import { performance } from 'node:perf_hooks';
import { startDashboardFixture } from '../scenarios/dashboard-fixture.ts';

const RUNS = 5;
const median = (values: readonly number[]): number => Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0);

const fixture = await startDashboardFixture();
try {
  await fixture.addCanaries(1_000);
  const paints: number[] = [];
  const rows: number[] = [];
  const updates: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const page = await fixture.open('/');
    const openedMs = performance.now();
    await page.reload();
    await page.getByText('1001 of 1001').waitFor();
    rows.push(performance.now() - openedMs);
    paints.push(Number(await page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0")));
    const name = `app-${String(run).padStart(4, '0')}`;
    const ref = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', namespace: `team-${run}`, name };
    const writtenMs = performance.now();
    await fixture.cluster.patch(ref, { status: { phase: 'Failed' } }, { subresource: 'status' });
    await page.getByRole('link', { name: new RegExp(`${name}.*Failed`) }).waitFor();
    updates.push(performance.now() - writtenMs);
    await page.context().close();
  }
  const figures = { canaries: 1_001, firstPaintMs: median(paints), allRowsMs: median(rows), updateMs: median(updates) };
  process.stdout.write(`${JSON.stringify(figures)}\n`);
} finally {
  await fixture.stop();
}
process.exit();
