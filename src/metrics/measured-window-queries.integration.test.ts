import { describe, expect, it } from 'vitest';
import { canary, dependencies, emptyServer, endMs, stopServer } from '../../test/fakes/measuring.ts';
import type { Metric } from '../api/canary.ts';
import { measure } from './measure.ts';

/** The last revision failed all of its requests until half a minute ago; this one fails none. */
async function afterABadRevision(metric: Metric, ageMs: number) {
  const server = await emptyServer();
  const labels = { reporter: 'destination', destination_workload_namespace: 'test', destination_workload: 'podinfo' };
  for (let i = 0; i <= 12; i++) {
    const tMs = endMs - (12 - i) * 5_000;
    const errors = { labels: { __name__: 'istio_requests_total', ...labels, response_code: '500' }, tMs, value: 50 * Math.min(6, i) };
    const answers = { labels: { __name__: 'istio_requests_total', ...labels, response_code: '200' }, tMs, value: 50 * Math.max(6, i) };
    server.ingest([errors, answers]);
  }
  return measure(canary([metric], { measuredFromMs: endMs - ageMs, othersUntilMs: endMs - 30_000 }), dependencies());
}

describe('a window that reaches back to the last revision', () => {
  const rate: Metric = { name: 'request-success-rate', thresholdRange: { min: 99 } };
  const ratio = (interval: string) =>
    `sum(rate(istio_requests_total{response_code="200"}[${interval}])) / sum(rate(istio_requests_total[${interval}]))`;

  it.each<[string, Metric]>([
    ['built-in', rate],
    ['inline', { name: 'mine', query: ratio('{{ interval }}'), thresholdRange: { min: 0.99 } }],
  ])('E20a: a query, %s, does not judge this revision by the errors of that one', async (_, metric) => {
    expect(await afterABadRevision(metric, 20_000)).toEqual([expect.objectContaining({ verdict: 'passed' })]);
  });

  it('E20a: a metric that is not measured yet has that reason, and does not count as failed', async () => {
    const [verdict] = await afterABadRevision(rate, 2_000);
    expect(verdict).toMatchObject({
      verdict: 'unmeasured',
      early: true,
      reason: expect.stringContaining('waits for samples of only this revision'),
    });
  });

  it('E20a, I11: an unreachable server is reported as such, however young the revision is', async () => {
    const release = { measuredFromMs: endMs - 2_000 };
    const [verdict] = await measure(canary([rate], release), { ...dependencies(), metricsServer: 'http://127.0.0.1:1' });
    expect(verdict).toMatchObject({ verdict: 'unmeasured', reason: expect.stringContaining('cannot be queried') });
    expect(verdict).not.toHaveProperty('early');
  });

  it('E20a: a range that is written into a query is not cut, and its gaps do not count as early', async () => {
    const fixed: Metric = { name: 'mine', query: ratio('1m'), thresholdRange: { min: 0.99 } };
    expect(await afterABadRevision(fixed, 2_000)).toEqual([expect.objectContaining({ verdict: 'failed' })]);
    await stopServer();
    const [none] = await afterABadRevision({ name: 'mine', query: 'sum(rate(nothing[1m]))' }, 2_000);
    expect(none).toMatchObject({ verdict: 'unmeasured' });
    expect(none).not.toHaveProperty('early');
  });

  it.each([
    { interval: '{{ interval }}', verdict: 'passed' },
    { interval: '20s', verdict: 'failed' },
  ])('E20a: ingress-nginx reports counts of the last revision a second late, in the window of $interval', async (row) => {
    const server = await emptyServer();
    const labels = { namespace: 'test', ingress: 'podinfo', canary: 'test-podinfo-canary-80' };
    const counted = (status: string, value: number, agoMs: number) =>
      server.ingest([{ labels: { __name__: 'nginx_ingress_controller_requests', ...labels, status }, tMs: endMs - agoMs, value }]);
    for (const agoMs of [19_900, 19_400, 14_000, 9_000, 4_000, 0]) {
      counted('500', agoMs === 19_900 ? 100 : 150, agoMs);
      counted('200', Math.round((20_000 - agoMs) / 100), agoMs);
    }
    const rate = (matcher: string) => `sum(rate(nginx_ingress_controller_requests{${matcher}}[${row.interval}]))`;
    const metric = { name: 'mine', query: `${rate('status="200"')} / ${rate('')}`, thresholdRange: { min: 0.99 } };
    const release = { measuredFromMs: endMs - 20_000, othersUntilMs: endMs - 20_000 };
    const verdicts = await measure(canary([metric], release), { ...dependencies(), meshProvider: 'nginx' });
    expect(verdicts).toEqual([expect.objectContaining({ verdict: row.verdict })]);
  });
});
