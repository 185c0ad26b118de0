import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Verdict } from '../../../src/api/canary-status.ts';
import { type EmbeddedPrometheus, startPrometheus } from '../../../src/embedded/prometheus/index.ts';
import { measure } from '../../../src/metrics/measure.ts';
import type { MeasureDependencies } from '../../../src/metrics/measure-dependencies.ts';
import { observerFor } from '../../../src/routers/index.ts';
import { aCanary } from '../../fakes/world.ts';

const NOW_MS = 1_000_000_000;
const SCRAPE_MS = 15_000;
/** Timeout in milliseconds; only an outage that tests it waits for its end. */
const TIMEOUT_MS = 600_000;
const QUERY = 'sum(rate(errors[1m]))';

export type Answer = (response: ServerResponse) => void;
type Template = (namespace: string, name: string) => Promise<unknown>;

/** Changes of an outage; absent fields are as on a good day. */
export interface Trouble {
  /** The answer of the template's server. */
  answer?: Answer;
  address?: string;
  query?: string;
  provider?: object;
  template?: Template;
  secret?: MeasureDependencies['secret'];
  /** Timeout for an answer that never comes, in milliseconds. */
  patienceMs?: number;
  /** Time since the last scrape, in milliseconds. With it, the embedded Prometheus is queried. */
  silentForMs?: number;
}

/** One metric of a MetricTemplate with a Secret, its server, and everything that can go wrong in between. */
export interface Monitoring {
  measure(trouble?: Trouble): Promise<Verdict[]>;
  stop(): Promise<void>;
}

const healthy: Answer = (response) => {
  response.end('{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1,"7"]}]}}');
};

export async function startMonitoring(): Promise<Monitoring> {
  let answer = healthy;
  const server = createServer((_, response) => answer(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let nowMs = NOW_MS;
  const prometheus = await startPrometheus({ targets: [], now: () => nowMs });
  scrapes(prometheus);
  return {
    async measure(trouble = {}) {
      answer = trouble.answer ?? healthy;
      nowMs = NOW_MS + (trouble.silentForMs ?? 0);
      const address = trouble.silentForMs === undefined ? (trouble.address ?? own) : prometheus.url;
      const provider = { type: 'prometheus', address, secretRef: { name: 'keys' }, ...trouble.provider };
      const template: Template = async () => ({ spec: { provider, query: trouble.query ?? QUERY } });
      return measure(aCanary({ metrics: [{ name: 'errors', templateRef: { name: 'errors' }, thresholdRange: { max: 9 } }] }), {
        metricsServer: own,
        observerFor,
        meshProvider: 'istio',
        template: trouble.template ?? template,
        secret:
          trouble.secret ??
          (async () => ({ token: 'planted-token', datadog_api_key: 'planted-key', datadog_application_key: 'planted-app' })),
        signal: new AbortController().signal,
        nowMs: NOW_MS,
        timeoutMs: trouble.patienceMs ?? TIMEOUT_MS,
      });
    },
    async stop() {
      await prometheus.stop();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

/** Five scrapes, the last one now: one error in two seconds. */
function scrapes(prometheus: EmbeddedPrometheus): void {
  const labels = { __name__: 'errors' };
  prometheus.ingest([0, 1, 2, 3, 4].map((n) => ({ labels, tMs: NOW_MS - (4 - n) * SCRAPE_MS, value: (n * SCRAPE_MS) / 2_000 })));
}
