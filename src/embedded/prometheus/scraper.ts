import type { Agent } from 'node:http';
import { callHttp } from '../http-call.ts';
import type { World } from '../world.ts';
import { type ExposedSample, ExpositionReader } from './exposition.ts';
import { addPoint } from './runs.ts';
import type { LabelSet, Series } from './series.ts';
import type { SeriesStore } from './store.ts';

/** A scrape target: the URL of a text exposition, or samples of this process, which are read without a request and without text. */
export type ScrapeTarget = string | { url: string; samples(): readonly ExposedSample[] };

/** Reads one target. Its series get `job` and `instance`; a label of that name in the text moves to `exported_…`. */
export class Scraper {
  readonly #url: string;
  /** Samples of a target of this process. */
  readonly #samples: (() => readonly ExposedSample[]) | undefined;
  readonly #store: SeriesStore;
  readonly #world: World;
  readonly #agent: Agent;
  readonly #own: LabelSet;
  readonly #reader = new ExpositionReader();
  /** By the labels that the target gives. */
  readonly #known = new WeakMap<LabelSet, KnownPod>();
  /** Time of each scrape. */
  readonly #times: number[] = [];
  /** Series of the last scrape without their own timestamp: they end when they are missing. */
  #present: KnownPod[] = [];

  constructor(target: ScrapeTarget, store: SeriesStore, world: World) {
    const { url, samples } = typeof target === 'string' ? { url: target, samples: undefined } : target;
    this.#world = world;
    this.#agent = world.network.agent();
    this.#url = url;
    this.#samples = samples;
    this.#store = store;
    this.#own = { job: 'embedded', instance: new URL(url).host };
  }

  /** Never throws: a failed scrape is `up` 0, and all series of the target end. */
  async scrape(nowMs: number, timeoutMs: number, signal?: AbortSignal): Promise<void> {
    const before = this.#present;
    this.#present = [];
    const nth = this.#times.push(nowMs) - 1;
    const up = await this.#read(nth, before, timeoutMs, signal);
    for (const { series, seen } of before) if (seen !== nth) addPoint(series.runs, this.#times, nth, undefined);
    this.#store.append({ labels: { __name__: 'up', ...this.#own }, tMs: nowMs, value: up ? 1 : 0 });
  }

  async #read(nth: number, before: readonly KnownPod[], timeoutMs: number, signal: AbortSignal | undefined): Promise<boolean> {
    try {
      const samples = this.#samples === undefined ? await this.#fetch(timeoutMs, signal) : this.#samples();
      if (samples === undefined) return false;
      let index = 0;
      for (const { labels, value, tMs } of samples) {
        // Samples come in the same order each time.
        const last = before[index];
        index += 1;
        const known = last?.exposed === labels && last.series.runs.length > 0 ? last : this.#knownBy(labels);
        if (tMs !== undefined) addPoint(known.series.runs, [tMs], 0, value);
        else {
          addPoint(known.series.runs, this.#times, nth, value);
          known.seen = nth;
          this.#present.push(known);
        }
      }
      return true;
    } catch {
      return false; // `up` 0 shows it
    }
  }

  /** `undefined` if the answer is not an exposition. */
  async #fetch(timeoutMs: number, signal: AbortSignal | undefined): Promise<readonly ExposedSample[] | undefined> {
    const { clock } = this.#world;
    const { status, text } = await callHttp(this.#url, { agent: this.#agent, clock, timeoutMs, signal });
    return status === 200 ? this.#reader.read(text) : undefined;
  }

  #knownBy(exposed: LabelSet): KnownPod {
    const known = this.#known.get(exposed);
    // Without points it could have been pruned.
    if (known && known.series.runs.length > 0) return known;
    const labels: Record<string, string> = {};
    for (const [name, value] of Object.entries(exposed)) labels[name in this.#own ? `exported_${name}` : name] = value;
    const found = { exposed, series: this.#store.seriesOf({ ...labels, ...this.#own }), seen: -1 };
    this.#known.set(exposed, found);
    return found;
  }
}

interface KnownPod {
  /** Labels that the target gives. */
  readonly exposed: LabelSet;
  readonly series: Series;
  /** The last scrape that had it. */
  seen: number;
}
