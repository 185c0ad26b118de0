import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import type { MetricProviderType } from '../../src/api/metric-template.ts';
import { backendFor } from '../../src/metrics/providers/index.ts';
import { sourceOf } from '../contracts/metric-backends/backend-case.ts';
import { backendCases } from '../contracts/metric-backends/index.ts';
import { changed, hostileJson, hostileText } from './hostile-values.ts';

/** A good answer of each backend with an HTTP API; the answers of other backends have readers of their own (`readFrame`, or the vendor's). */
const ANSWERS: Partial<Record<MetricProviderType, object>> = {
  prometheus: { status: 'success', data: { resultType: 'vector', result: [{ metric: {}, value: [1, '2'] }] } },
  datadog: { series: [{ pointlist: [[1, 2]] }] },
  graphite: [{ target: 'a', datapoints: [[1, 2]] }],
  newrelic: { results: [{ result: 1 }] },
  dynatrace: { result: [{ data: [{ values: [1] }] }] },
  influxdb: { message: 'refused' },
  externalmetrics: { items: [{ metricName: 'a', value: '1', timestamp: '2026-01-01T00:00:00Z' }] },
  keptn: { status: { value: '1', intervalResults: [{ value: '2' }] } },
};

interface Played {
  status: number;
  body: string;
}

export interface FuzzedBackend {
  feed: fc.Arbitrary<unknown>;
  ask(value: unknown): Promise<unknown>;
  stop(): void;
}

export const fuzzedBackends = Object.keys(ANSWERS) as MetricProviderType[];

/** A backend whose server answers with any fed input. */
export async function startBackend(type: MetricProviderType): Promise<FuzzedBackend> {
  let next: Played = { status: 200, body: '' };
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(next.status, { 'content-type': 'application/json' }).end(next.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const known = backendCases[type];
  const made = backendFor(sourceOf(known, type, `http://127.0.0.1:${port}`));
  if ('problem' in made) throw new Error(made.problem);
  const json = fc.oneof(changed([ANSWERS[type] ?? {}]), hostileJson).map((value) => JSON.stringify(value) ?? '');
  return {
    feed: fc.record({ status: fc.constantFrom(200, 200, 200, 400, 404), body: fc.oneof({ weight: 4, arbitrary: json }, hostileText) }),
    async ask(value) {
      next = value as Played;
      return made.runQuery(known.query, AbortSignal.timeout(60_000));
    },
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
