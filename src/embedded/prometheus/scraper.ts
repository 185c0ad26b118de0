import type { Agent } from 'node:http';
import { callHttp } from '../http-call.ts';
import type { World } from '../world.ts';
import { parseExposition } from './exposition.ts';
import type { LabelSet } from './series.ts';
import type { Store } from './store.ts';

/** Reads one target. Its series get `job` and `instance`; a label of that name in the text moves to `exported_…`. */
export class Scraper {
  readonly #url: string;
  readonly #store: Store;
  readonly #world: World;
  readonly #agent: Agent;
  readonly #own: LabelSet;
  /** Labels of series by how they are written, and what they are here. */
  readonly #known = new Map<string, LabelSet>();
  readonly #relabelled = new WeakMap<LabelSet, LabelSet>();
  /** What the last scrape gave without a time of its own: these series end when they are missing. */
  #present = new Set<LabelSet>();

  constructor(url: string, store: Store, world: World) {
    this.#world = world;
    this.#agent = world.network.agent();
    this.#url = url;
    this.#store = store;
    this.#own = { job: 'embedded', instance: new URL(url).host };
  }

  /** Never throws: a failed scrape is `up` 0, and all series of the target end. */
  async scrape(nowMs: number, timeoutMs: number, signal?: AbortSignal): Promise<void> {
    const before = this.#present;
    this.#present = new Set();
    const up = await this.#read(nowMs, timeoutMs, signal);
    for (const labels of before) if (!this.#present.has(labels)) this.#store.append({ labels, tMs: nowMs });
    this.#store.append({ labels: { __name__: 'up', ...this.#own }, tMs: nowMs, value: up ? 1 : 0 });
  }

  async #read(nowMs: number, timeoutMs: number, signal: AbortSignal | undefined): Promise<boolean> {
    try {
      const { clock } = this.#world;
      const { status, text } = await callHttp(this.#url, { agent: this.#agent, clock, timeoutMs, signal });
      if (status !== 200) return false;
      for (const { labels: exposed, value, tMs } of parseExposition(text, this.#known)) {
        const labels = this.#relabel(exposed);
        this.#store.append({ labels, tMs: tMs ?? nowMs, value });
        if (tMs === undefined) this.#present.add(labels);
      }
      return true;
    } catch {
      return false; // `up` 0 tells it
    }
  }

  #relabel(exposed: LabelSet): LabelSet {
    const known = this.#relabelled.get(exposed);
    if (known) return known;
    const labels: Record<string, string> = {};
    for (const [name, value] of Object.entries(exposed)) labels[name in this.#own ? `exported_${name}` : name] = value;
    const own = { ...labels, ...this.#own };
    this.#relabelled.set(exposed, own);
    return own;
  }
}
