import type { Labels } from '../../api/kube-object.ts';
import { parseLabelSelector } from '../../kube/label-selector-text.ts';

/**
 * The Canaries of this Serin, by `--canary-selector`. Compared here and not by the API server, whose watch reports a Canary that loses the
 * label as deleted.
 */
export class CanarySlice {
  readonly #selector: ReturnType<typeof parseLabelSelector>;

  constructor(selector: string) {
    this.#selector = parseLabelSelector(selector);
  }

  includes({ metadata }: { metadata: { labels?: Labels | undefined } }): boolean {
    return 'unreadable' in this.#selector || this.#selector.matches(metadata.labels ?? {});
  }
}
