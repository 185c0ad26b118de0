import { afterAll, beforeAll } from 'vitest';
import { type EmbeddedPrometheus, startPrometheus } from '../../../src/embedded/prometheus/index.ts';
import type { IngestedSample } from '../../../src/embedded/prometheus/series.ts';
import { type RealPrometheus, startRealPrometheus } from '../real-prometheus.ts';
import { openMetrics } from './generated-data.ts';

/** A real and the embedded Prometheus with the same samples, from before the first test of the file to after its last one. */
export function bothPrometheuses(samples: () => readonly IngestedSample[]): { real: RealPrometheus; embedded: EmbeddedPrometheus } {
  const started: { real?: RealPrometheus; embedded?: EmbeddedPrometheus } = {};
  beforeAll(async () => {
    const all = samples();
    started.real = await startRealPrometheus({ targets: [], scrapeIntervalMs: 15_000, openMetrics: openMetrics(all) });
    started.embedded = await startPrometheus({ targets: [], retentionMs: Number.POSITIVE_INFINITY });
    started.embedded.ingest(all);
  });
  afterAll(async () => {
    await started.real?.stop();
    await started.embedded?.stop();
  });
  const running = <T>(one: T | undefined): T => {
    if (one === undefined) throw new Error('Prometheus runs during tests only');
    return one;
  };
  return {
    get real() {
      return running(started.real);
    },
    get embedded() {
      return running(started.embedded);
    },
  };
}
