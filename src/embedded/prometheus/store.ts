import { keptIn } from '../../base/once.ts';
import { addPoint, dropBefore } from './runs.ts';
import { type IngestedSample, type LabelSet, type Series, type SeriesMatcher, seriesKey } from './series.ts';

/** Time series by metric name. Points of a series are in order of time; a second one at the same time is dropped. */
export class SeriesStore {
  readonly #byName = new Map<string, Map<string, Series>>();
  readonly #retentionMs: number;
  #pruneAfterMs = -Infinity;

  constructor(retentionMs: number) {
    this.#retentionMs = retentionMs;
  }

  append({ labels, tMs, value }: IngestedSample): void {
    addPoint(this.seriesOf(labels).runs, [tMs], 0, value);
  }

  /** The series of these labels, made if it does not exist yet. Once it has no points left, it can be removed from here. */
  seriesOf(labels: LabelSet): Series {
    const name = labels.__name__ ?? '';
    const family = keptIn(this.#byName, name, () => new Map<string, Series>());
    return keptIn(family, seriesKey(labels), () => ({ labels: withoutEmpty(labels), runs: [] }));
  }

  /** Series whose labels satisfy all matchers. A label that a series lacks is the empty string. */
  *select(matchers: readonly SeriesMatcher[]): Generator<Series> {
    const named = matchers.find((matcher) => matcher.label === '__name__' && matcher.op === '=');
    const families = named ? [this.#byName.get(named.value)] : this.#byName.values();
    for (const family of families) {
      for (const series of family?.values() ?? []) {
        if (matchers.every((matcher) => matcher.matches(series.labels[matcher.label] ?? ''))) yield series;
      }
    }
  }

  /** Forgets what is older than the retention, and series of which nothing is left; every tenth of the retention. */
  prune(nowMs: number): void {
    if (nowMs < this.#pruneAfterMs) return;
    this.#pruneAfterMs = nowMs + this.#retentionMs / 10;
    for (const [name, family] of this.#byName) {
      for (const [key, { runs }] of family) {
        dropBefore(runs, nowMs - this.#retentionMs);
        if (runs.length === 0) family.delete(key);
      }
      if (family.size === 0) this.#byName.delete(name);
    }
  }
}

function withoutEmpty(labels: LabelSet): LabelSet {
  return Object.fromEntries(Object.entries(labels).filter(([, value]) => value !== ''));
}
