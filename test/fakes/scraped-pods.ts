import type { EmbeddedPrometheus } from '../../src/embedded/prometheus/index.ts';
import type { IngestedSample, LabelSet } from '../../src/embedded/prometheus/series.ts';

/** Counts of answers in one process, as it exports them. */
interface Exporter {
  labels: LabelSet;
  counts: Map<string, number>;
}

/** Sidecars of Istio that are scraped one by one: counters begin at zero with their process, and stale markers follow a lost scrape. */
export class ScrapedPods {
  readonly #exporters = new Map<string, Exporter>();
  /** Series of the last scrape, by instance. */
  readonly #present = new Map<string, LabelSet[]>();
  readonly #prometheus: Pick<EmbeddedPrometheus, 'ingest'>;

  constructor(prometheus: Pick<EmbeddedPrometheus, 'ingest'>) {
    this.#prometheus = prometheus;
  }

  /** A process begins, or begins again. */
  start(instance: string, workload: string): void {
    const labels = { reporter: 'destination', destination_workload_namespace: 'test', destination_workload: workload, instance };
    this.#exporters.set(instance, { labels, counts: new Map() });
  }

  remove(instance: string): void {
    this.#exporters.delete(instance);
  }

  answer(instance: string, code: string, times = 1): void {
    const counts = this.#exporters.get(instance)?.counts;
    counts?.set(code, (counts.get(code) ?? 0) + times);
  }

  /** The process no longer exports this counter. */
  forget(instance: string, code: string): void {
    this.#exporters.get(instance)?.counts.delete(code);
  }

  /** All at the same moment, but the instances whose scrape is lost, and single series, as in `instance code`. */
  scrape(tMs: number, lost: readonly string[] = []): void {
    const samples: IngestedSample[] = [];
    for (const instance of new Set([...this.#exporters.keys(), ...this.#present.keys()])) {
      const exporter = lost.includes(instance) ? undefined : this.#exporters.get(instance);
      const counts = [...(exporter?.counts ?? [])].filter(([code]) => !lost.includes(`${instance} ${code}`));
      const now = counts.map(([code, value]) => ({
        labels: { __name__: 'istio_requests_total', ...exporter?.labels, response_code: code },
        value,
      }));
      const codes = new Set(now.map(({ labels }) => labels.response_code));
      const ended = (this.#present.get(instance) ?? []).filter(({ response_code = '' }) => !codes.has(response_code));
      samples.push(...now.map((sample) => ({ ...sample, tMs })), ...ended.map((labels) => ({ labels, tMs })));
      this.#present.set(
        instance,
        now.map(({ labels }) => labels),
      );
    }
    this.#prometheus.ingest(samples);
  }
}
