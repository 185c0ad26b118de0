import { type IngestedSample, type LabelSet, labelKey, type Matcher, type Series } from './series.ts';

/** Time series by metric name. Points of a series are in order of time; a second one at the same time is dropped. */
export class Store {
  readonly #byName = new Map<string, Map<string, Series>>();
  readonly #retentionMs: number;

  constructor(retentionMs: number) {
    this.#retentionMs = retentionMs;
  }

  append({ labels, tMs, value }: IngestedSample): void {
    const name = labels.__name__ ?? '';
    let family = this.#byName.get(name);
    if (!family) {
      family = new Map();
      this.#byName.set(name, family);
    }
    const key = labelKey(labels);
    let series = family.get(key);
    if (!series) {
      series = { labels: withoutEmpty(labels), points: [] };
      family.set(key, series);
    }
    const last = series.points.at(-1);
    if (last && last.tMs >= tMs) return;
    series.points.push({ tMs, value });
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

  /** Forgets what is older than the retention, and series of which nothing is left. */
  prune(nowMs: number): void {
    const oldest = nowMs - this.#retentionMs;
    for (const [name, family] of this.#byName) {
      for (const [key, series] of family) {
        const keep = series.points.findIndex((point) => point.tMs >= oldest);
        if (keep === -1) family.delete(key);
        else if (keep > 0) series.points.splice(0, keep);
      }
      if (family.size === 0) this.#byName.delete(name);
    }
  }
}

function withoutEmpty(labels: LabelSet): LabelSet {
  return Object.fromEntries(Object.entries(labels).filter(([, value]) => value !== ''));
}
