import { afterEach } from 'vitest';
import type { Canary, Metric } from '../../src/api/canary.ts';
import type { Release } from '../../src/api/canary-status.ts';
import { type EmbeddedPrometheus, startPrometheus } from '../../src/embedded/prometheus/index.ts';
import { measure } from '../../src/metrics/measure.ts';
import type { MeasureDependencies } from '../../src/metrics/measure-dependencies.ts';
import { observerFor } from '../../src/routers/index.ts';
import { parsedCanary } from './parsed-canary.ts';

/** When it is now. */
export const endMs = 1_000_000_000;
let server: EmbeddedPrometheus | undefined;
afterEach(stopServer);

/** The Prometheus of the running test. */
export const serverUrl = (): string => server?.url ?? '';

export async function stopServer(): Promise<void> {
  await server?.stop();
}

/** A server that has scraped nothing. */
export async function emptyServer(): Promise<EmbeddedPrometheus> {
  server = await startPrometheus({ targets: [], now: () => endMs });
  return server;
}

export function canary(metrics: readonly Metric[], release?: Partial<Release>): Canary {
  return parsedCanary(
    { analysis: { interval: '1m', metrics } },
    {},
    release && { phase: 'Progressing', failedChecks: 0, canaryWeight: 20, iterations: 0, release: { ...begun, ...release } },
  );
}

const begun = {
  ...{ targetUid: 't', revision: 's1:b', observedGeneration: 2, run: 2, step: 'analysing', routes: { kind: 'weighted', canary: 20 } },
  ...{ failedChecks: 0, iterations: 0, startedMs: 0, stepStartedMs: 0 },
};

export async function run(metrics: readonly Metric[], more: Partial<MeasureDependencies> = {}, release?: Partial<Release>) {
  await scraped();
  const deps = { ...dependencies(), ...more };
  return measure(canary(metrics, release), deps);
}

/** Five scrapes, 15 s apart, the last one now. */
export async function scraped(): Promise<void> {
  const prometheus = await emptyServer();
  for (const [workload, code, perScrape] of [
    ['podinfo', '200', 95],
    ['podinfo', '503', 5],
    ['podinfo-primary', '200', 10],
  ] as const) {
    for (let i = 0; i < 5; i++) {
      const labels = { reporter: 'destination', destination_workload_namespace: 'test', destination_workload: workload };
      const tMs = endMs - (4 - i) * 15_000;
      prometheus.ingest([
        { labels: { __name__: 'istio_requests_total', ...labels, response_code: code }, tMs, value: i * perScrape },
        ...(['100', '500', '+Inf'] as const).map((le, bucket) => ({
          labels: { __name__: 'istio_request_duration_milliseconds_bucket', ...labels, response_code: code, le },
          tMs,
          value: i * perScrape * (bucket === 0 ? 0.9 : 1),
        })),
      ]);
    }
  }
}

export function dependencies(): MeasureDependencies {
  return {
    metricsServer: serverUrl(),
    observerFor,
    meshProvider: 'istio',
    template: async () => undefined,
    secret: async () => undefined,
    signal: new AbortController().signal,
    nowMs: endMs,
    timeoutMs: 60_000,
  };
}
