import { seededRandom } from '../../../src/embedded/mesh/random.ts';
import type { IngestedSample, LabelSet } from '../../../src/embedded/prometheus/series.ts';

/** The first moment of the data: epoch milliseconds, far from an edge of the blocks that Prometheus stores. */
export const dataStartMs = 1_700_000_000_000;
const SCRAPES = 160;
const EVERY_MS = 15_000;

/** The moments of the queries: in the thick of it, in the hole that some series have, and after the end of others. */
export const queryTimesMs = [20, 29, 39].map((minutes) => dataStartMs + minutes * 60_000);

/**
 * Forty minutes of counters that restart, gauges, histograms whose buckets race, and odd numbers, the same for the same seed. No sample lies on
 * a whole second, so that none is at the very end of a range: there version 2 of Prometheus counts it in and version 3 does not.
 */
export function generatedData(seed: number): IngestedSample[] {
  const random = seededRandom(seed);
  const samples: IngestedSample[] = [];
  /** One series; `next` gives its value at each scrape, undefined where the scrape failed. */
  const series = (labels: LabelSet, next: (scrape: number) => number | undefined) => {
    for (let scrape = 0; scrape < SCRAPES; scrape += 1) {
      // Eighths of a second have an exact binary form: they pass the text of seconds unharmed.
      const tMs = dataStartMs + scrape * EVERY_MS + 125 * (1 + Math.floor(random() * 7));
      const value = next(scrape);
      if (value !== undefined) samples.push({ labels, tMs, value });
    }
  };
  /** Quarters: sums of them are exact in any order. */
  const quarters = (most: number) => Math.floor(random() * most * 4) / 4;
  const counter = (perScrape: number, { from = 0, to = SCRAPES, hole = false, restarts = false } = {}) => {
    let value = from === 0 ? 1000 + quarters(500) : 0;
    return (scrape: number) => {
      if (scrape < from || scrape >= to || (hole && scrape > 85 && scrape < 125)) return undefined;
      // A late series starts at zero: Prometheus 2 and 3 extrapolate a rate to its start differently.
      if (scrape > from) value += quarters(perScrape);
      if (restarts && random() < 0.05) value = quarters(2);
      return random() < 0.03 ? undefined : value;
    };
  };
  for (const job of ['api', 'web']) {
    for (const instance of ['a', 'b', 'c']) {
      for (const code of ['200', '404', '500']) {
        const isRare = code === '500';
        series(
          { __name__: 'requests_total', job, instance, code },
          counter(code === '200' ? 90 : 4, {
            restarts: instance === 'b',
            hole: instance === 'c' && job === 'web',
            ...(isRare && job === 'api' ? { from: 70 } : {}),
            ...(isRare && instance === 'a' ? { to: 130 } : {}),
          }),
        );
      }
      series({ __name__: 'temperature', job, instance }, () => quarters(80) - 40);
      series({ __name__: 'build_info', instance, job, version: instance === 'a' ? '2' : '1' }, () => 1);
      const bounds = ['0.05', '0.1', '0.5', '1', '+Inf'];
      const counts = bounds.map(() => 0);
      for (const [index, le] of bounds.entries()) {
        series({ __name__: 'latency_bucket', job, instance, le }, () => {
          counts[index] = (counts[index] ?? 0) + Math.floor(random() * 6) * (index + 1);
          return counts[index];
        });
      }
    }
    series({ __name__: 'limit', job }, () => (job === 'api' ? 2.5 : 0));
    series({ __name__: 'quiet_total', job }, () => 42);
  }
  for (const [kind, value] of [
    ['nan', Number.NaN],
    ['inf', Infinity],
    ['minus', -Infinity],
    ['zero', 0],
    ['tiny', 2 ** -40],
  ] as const) {
    series({ __name__: 'odd', kind }, () => value);
  }
  return samples;
}

/** The samples in the text form that `promtool tsdb create-blocks-from openmetrics` reads. */
export function openMetrics(samples: readonly IngestedSample[]): string {
  const lines = samples.map(({ labels: { __name__: name, ...labels }, tMs, value }) => {
    const inner = Object.entries(labels).map(([key, one]) => `${key}=${JSON.stringify(one)}`);
    return `${name}{${inner.join(',')}} ${floatText(value)} ${(tMs / 1000).toFixed(3)}\n`;
  });
  return `${lines.join('')}# EOF\n`;
}

function floatText(value = Number.NaN): string {
  return Math.abs(value) === Infinity ? `${value > 0 ? '+' : '-'}Inf` : String(value);
}
