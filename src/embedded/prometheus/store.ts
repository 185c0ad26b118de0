import { type IngestedSample, type LabelSet, labelKey, type Matcher, type Series } from './series.ts';

/** Time series by metric name. Points of a series are in order of time; a second one at the same time is dropped. */
export class Store {
  readonly #byName = new Map<string, Map<string, Series>>();
  /** A scrape brings the same label sets again and again: keys of thirty labels need not be looked up each time. */
  readonly #seriesOf = new WeakMap<LabelSet, Series>();
  readonly #retentionMs: number;
  #pruneAfterMs = -Infinity;

  constructor(retentionMs: number) {
    this.#retentionMs = retentionMs;
  }

  append({ labels, tMs, value }: IngestedSample): void {
    let series = this.#seriesOf.get(labels);
    // Without points: it may have been pruned.
    if (!series || series.points.length === 0) {
      series = this.#series(labels);
      this.#seriesOf.set(labels, series);
    }
    const last = series.points.at(-1);
    if (last && last.tMs >= tMs) return;
    series.points.push({ tMs, value });
  }

  #series(labels: LabelSet): Series {
    const name = labels.__name__ ?? '';
    const family = this.#byName.get(name) ?? new Map<string, Series>();
    this.#byName.set(name, family);
    const key = labelKey(labels);
    const series = family.get(key) ?? { labels: withoutEmpty(labels), points: [] };
    family.set(key, series);
    return series;
  }

  /** Series whose labels satisfy all matchers. A label that a series lacks is the empty string. */
  *select(matchers: readonly Matcher[]): Generator<Series> {
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
    const oldest = nowMs - this.#retentionMs;
    for (const [name, family] of this.#byName) {
      for (const [key, series] of family) {
        const keep = series.points.findIndex((point) => point.tMs >= oldest);
        series.points.splice(0, keep === -1 ? series.points.length : keep);
        if (series.points.length === 0) family.delete(key);
      }
      if (family.size === 0) this.#byName.delete(name);
    }
  }
}

function withoutEmpty(labels: LabelSet): LabelSet {
  return Object.fromEntries(Object.entries(labels).filter(([, value]) => value !== ''));
}
