import { afterAll, beforeAll, expect, it } from 'vitest';
import type { FakeBackend } from '../../test/contracts/metric-backends/backend-case.ts';
import { httpFake } from '../../test/contracts/metric-backends/http-fake.ts';
import { prometheus } from '../../test/contracts/metric-backends/prometheus.ts';
import { parsedCanary } from '../../test/fakes/parsed-canary.ts';
import type { Metric } from '../api/canary.ts';
import { findOffline } from './find-offline.ts';

let server: FakeBackend;
let datadog: FakeBackend;
beforeAll(async () => {
  server = await prometheus.start();
  datadog = await httpFake({ value: '{}' });
});
afterAll(() => Promise.all([server.stop(), datadog.stop()]));

async function offline(metrics: readonly Metric[], { secret }: { secret?: Record<string, string> } = {}): Promise<string | undefined> {
  server.requests.splice(0);
  const canary = parsedCanary({ analysis: { interval: '1m', metrics } });
  const provider = { type: 'datadog', address: datadog.address, secretRef: { name: 'keys' } };
  return findOffline(canary, {
    metricsServer: server.address,
    template: async (_, name) => (name === 'datadog' ? { spec: { provider, query: 'q' } } : undefined),
    secret: async () => secret ?? { datadog_api_key: 'planted', datadog_application_key: 'planted' },
    signal: new AbortController().signal,
    nowMs: 0,
    timeoutMs: 60_000,
  });
}

const builtin = [{ name: 'request-success-rate' }, { name: 'request-duration' }];
const ofTemplate = (name: string): Metric => ({ name: 'errors', templateRef: { name } });

it('all backends answer, and the server of several built-in metrics is queried once', async () => {
  server.answersWith('value');
  expect(await offline([...builtin, ofTemplate('datadog')])).toBeUndefined();
  expect(server.requests).toHaveLength(1);
});

it('the first metric of the list whose backend does not answer is reported', async () => {
  server.answersWith('down');
  expect(await offline([ofTemplate('datadog'), ...builtin])).toMatch(
    /^metric request-success-rate cannot be queried: Prometheus answered 503$/,
  );
});

it('a template that is not found, or lacks its keys, is reported', async () => {
  server.answersWith('value');
  expect(await offline([ofTemplate('other')])).toMatch(/metric errors .* MetricTemplate test\/other: not found/);
  expect(await offline([ofTemplate('datadog')], { secret: { datadog_api_key: 'planted' } })).toMatch(
    /Secret test\/keys lacks datadog_application_key/,
  );
});

it('inline queries are not checked, and an empty list of metrics is fine', async () => {
  server.answersWith('down');
  expect(await offline([{ name: 'mine', query: 'vector(1)' }])).toBeUndefined();
  expect(await offline([])).toBeUndefined();
  expect(server.requests).toEqual([]);
});
