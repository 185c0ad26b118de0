import { keptIn } from '../../base/once.ts';
export type SeriesLabels = Record<string, string>;

/** Counters and histograms, written in the Prometheus text format. */
export interface Metrics {
  count(name: string, labels: SeriesLabels, by?: number): void;
  observe(name: string, labels: SeriesLabels, value: number, by?: number): void;
  /** One series of a counter, for callers that count in it often. */
  counter(name: string, labels: SeriesLabels): (by: number) => void;
  histogram(name: string, labels: SeriesLabels): (value: number, by: number) => void;
  text(): string;
  /** The samples that `text` contains. Labels of a series are the same object each time. */
  samples(): Sample[];
}

export interface Sample {
  /** With `__name__`. */
  labels: SeriesLabels;
  value: number;
}

interface Histogram {
  counts: number[];
  sum: number;
  /** Samples of each bucket, then the sum and the count; their values are those of the last reading. */
  samples: Sample[];
  /** It has changed since the last reading. Scrapes are more frequent than changes of most series. */
  isStale: boolean;
  /** Its written form; absent once it has changed. */
  lines?: string | undefined;
}

const NEEDS_QUOTING = /[\\"\n]/;
// Every request counts under some thirty labels, and hardly one of them needs it.
const quote = (value: string): string =>
  NEEDS_QUOTING.test(value) ? value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n') : value;
const render = (labels: SeriesLabels): string => {
  let text = '';
  for (const [name, value] of Object.entries(labels)) text += `${text === '' ? '' : ','}${name}="${quote(value)}"`;
  return text;
};

/** `bounds` names every histogram and its upper bounds, ascending, in the histogram's own unit. */
export function createMetrics(bounds: Record<string, readonly number[]>): Metrics {
  const counters = new Map<string, Map<string, Sample>>();
  const histograms = new Map<string, Map<string, Histogram>>();
  const counter = (name: string, labels: SeriesLabels) => {
    const series = keptIn(counters, name, () => new Map<string, Sample>());
    const found = keptIn(series, render(labels), () => ({ labels: { __name__: name, ...labels }, value: 0 }));
    return (by: number): void => {
      found.value += by;
    };
  };
  const histogram = (name: string, labels: SeriesLabels) => {
    const limits = bounds[name] ?? [];
    const series = keptIn(histograms, name, () => new Map<string, Histogram>());
    const found = keptIn(series, render(labels), () => emptyHistogram(name, labels, limits));
    return (value: number, by: number): void => {
      let index = 0;
      while (index < limits.length && !(value <= (limits[index] ?? 0))) index += 1;
      found.counts[index] = (found.counts[index] ?? 0) + by;
      found.sum += value * by;
      found.lines = undefined;
      found.isStale = true;
    };
  };
  return {
    counter,
    histogram,
    count: (name, labels, by = 1) => counter(name, labels)(by),
    observe: (name, labels, value, by = 1) => histogram(name, labels)(value, by),
    text() {
      const lines: string[] = [];
      for (const [name, series] of counters) {
        lines.push(`# TYPE ${name} counter`);
        for (const [labels, { value }] of series) lines.push(`${name}{${labels}} ${value}`);
      }
      for (const [name, series] of histograms) {
        lines.push(`# TYPE ${name} histogram`);
        for (const [labels, histogram] of series) {
          histogram.lines ??= histogramLines(name, labels, bounds[name] ?? [], histogram);
          lines.push(histogram.lines);
        }
      }
      return `${lines.join('\n')}\n`;
    },
    samples() {
      const samples: Sample[] = [];
      for (const series of counters.values()) samples.push(...series.values());
      for (const series of histograms.values())
        for (const histogram of series.values()) {
          if (histogram.isStale) readSamples(histogram);
          samples.push(...histogram.samples);
        }
      return samples;
    },
  };
}

function emptyHistogram(name: string, labels: SeriesLabels, limits: readonly number[]): Histogram {
  const buckets = [...limits, '+Inf'].map((limit): SeriesLabels => ({ __name__: `${name}_bucket`, ...labels, le: String(limit) }));
  const series = [...buckets, { __name__: `${name}_sum`, ...labels }, { __name__: `${name}_count`, ...labels }];
  const samples = series.map((each) => ({ labels: each, value: 0 }));
  return { counts: buckets.map(() => 0), sum: 0, samples, isStale: false };
}

function readSamples(histogram: Histogram): void {
  const { counts, sum, samples } = histogram;
  let total = 0;
  for (const [index, sample] of samples.entries()) {
    total += counts[index] ?? 0;
    sample.value = index === counts.length ? sum : total;
  }
  histogram.isStale = false;
}

function histogramLines(name: string, labels: string, bounds: readonly number[], { counts, sum }: Histogram): string {
  let total = 0;
  const buckets = counts.map((value, index) => {
    total += value;
    return `${name}_bucket{${labels},le="${bounds[index] ?? '+Inf'}"} ${total}`;
  });
  return [...buckets, `${name}_sum{${labels}} ${sum}`, `${name}_count{${labels}} ${total}`].join('\n');
}
