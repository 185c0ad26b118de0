import type { Labels } from '../../api/kube-object.ts';
import { parseLabelSelector } from '../../kube/label-selector-text.ts';
import { shardOf } from '../../kube/shards/shard-of.ts';

/** One of several parts of the Canaries that a Serin looks after. */
export interface Shard {
  /** Index from 0. */
  index: number;
  /** Number of slices. */
  of: number;
}

/**
 * The Canaries of this controller, by `--canary-selector` and by its shard. Compared here and not by the API server, whose watch reports a Canary
 * that loses the label as deleted, and which selects by no hash.
 */
export class CanarySlice {
  readonly #selector: ReturnType<typeof parseLabelSelector>;

  readonly #shard: Shard | undefined;

  constructor(selector: string, shard?: Shard) {
    this.#selector = parseLabelSelector(selector);
    this.#shard = shard;
  }

  includes({ metadata }: { metadata: { labels?: Labels | undefined; namespace?: string | undefined; name: string } }): boolean {
    return !this.isOfAnotherShard(metadata) && this.isSelected(metadata);
  }

  isSelected({ labels = {} }: { labels?: Labels | undefined }): boolean {
    return 'unreadable' in this.#selector || this.#selector.matches(labels);
  }

  /** Another controller of this Serin looks after it. */
  isOfAnotherShard(name: { namespace?: string | undefined; name: string }): boolean {
    return this.#shard !== undefined && shardOf(name, this.#shard.of) !== this.#shard.index;
  }

  /** The first slice also handles work that is not of one Canary. */
  get isFirst(): boolean {
    return (this.#shard?.index ?? 0) === 0;
  }
}
