import { type Slope, slopeOf } from '../figures.ts';

export interface MemorySample {
  /** Since the first release. */
  atSeconds: number;
  rssMiB: number;
  /** NaN where the controller did not say it. */
  heapMiB: number;
}

export interface Part {
  mean: number;
  max: number;
}

/** In MiB. */
export interface MemorySeries {
  firstQuarter: Part;
  lastQuarter: Part;
  /** In MiB an hour, after the first ten minutes; absent where that leaves fewer than three samples. */
  slope?: Slope;
}

export interface MemoryFigures {
  samples: readonly MemorySample[];
  rss: MemorySeries;
  heap: MemorySeries;
}

/** Caches and queues fill in this time. */
const SETTLING_SECONDS = 600;

/** Growth of memory, from samples in the order of time. */
export function memoryFigures(samples: readonly MemorySample[]): MemoryFigures {
  return { samples, rss: seriesOf(samples, ({ rssMiB }) => rssMiB), heap: seriesOf(samples, ({ heapMiB }) => heapMiB) };
}

function seriesOf(samples: readonly MemorySample[], of: (sample: MemorySample) => number): MemorySeries {
  const known = samples.filter((sample) => !Number.isNaN(of(sample)));
  const quarter = Math.max(1, Math.floor(known.length / 4));
  const settled = known.filter(({ atSeconds }) => atSeconds >= SETTLING_SECONDS);
  const slope = slopeOf(settled.map((sample) => [sample.atSeconds / 3600, of(sample)]));
  return {
    firstQuarter: partOf(known.slice(0, quarter).map(of)),
    lastQuarter: partOf(known.slice(-quarter).map(of)),
    ...(slope && { slope }),
  };
}

const partOf = (values: readonly number[]): Part => ({
  mean: values.reduce((sum, value) => sum + value, 0) / values.length,
  max: values.length === 0 ? Number.NaN : Math.max(...values),
});
