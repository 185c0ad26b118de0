import type { Canary } from '../../api/canary.ts';
import type { Labels } from '../../api/kube-object.ts';

/** Pause before a refused companion is tried again: rights that are granted cause no watch event. */
const TRY_AGAIN_MS = 300_000;
/** Time for which the labels of the namespace are remembered. */
const LABELS_MS = 300_000;

/** Notes about the companions of one Canary: refused ones, and kinds that could not be looked at. Only in memory. */
export class CompanionNotes {
  readonly #refusals = new Map<string, { asked: string; untilMs: number; why: string }>();
  /** `undefined` before the first look: then the status holds. */
  #message: { text: string | undefined } | undefined;
  #labels: { labels: Labels | undefined; untilMs: number } | undefined;

  /** For the condition. */
  messageFor({ status }: Canary): string | undefined {
    if (this.#message) return this.#message.text;
    return status?.conditions?.find(({ type }) => type === 'CompanionMissing')?.message;
  }

  /** Returns whether it is another one. */
  setMessage(canary: Canary, text: string | undefined): boolean {
    const before = this.messageFor(canary);
    this.#message = { text };
    return before !== text;
  }

  /** Milliseconds until a write that was refused so can be tried again. 0 is now. */
  waitMs(key: string, asked: string, nowMs: number): number {
    const known = this.#refusals.get(key);
    return known?.asked === asked ? Math.max(0, known.untilMs - nowMs) : 0;
  }

  refused(key: string, asked: string, nowMs: number, why: string): void {
    this.#refusals.set(key, { asked, untilMs: nowMs + TRY_AGAIN_MS, why });
  }

  /** Only these are still refused. */
  keep(keys: ReadonlySet<string>): void {
    for (const key of this.#refusals.keys()) if (!keys.has(key)) this.#refusals.delete(key);
  }

  whyRefused(key: string): string | undefined {
    return this.#refusals.get(key)?.why;
  }

  accepted(key: string): void {
    this.#refusals.delete(key);
  }

  /** The labels of the namespace. `read` is called if they are not known, and only if a policy is about them. */
  async namespaceLabels(nowMs: number, read: () => Promise<Labels | undefined>): Promise<Labels | undefined> {
    if (this.#labels === undefined || nowMs >= this.#labels.untilMs) this.#labels = { labels: await read(), untilMs: nowMs + LABELS_MS };
    return this.#labels.labels;
  }
}
