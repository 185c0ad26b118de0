import type { Verb } from '../api/verb-request.ts';
import type { CanaryName, DifferenceView, HistoryView, JournalView, ReleaseView, VerbAnswer } from './wire.ts';

/** A request that cannot be answered, with words for the user. */
export class ViewError extends Error {
  override readonly name = this.constructor.name;
  /** HTTP status. */
  readonly status: 403 | 404 | 409 | 502;

  constructor(status: ViewError['status'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

/** Views of one Canary, and verbs for it. A failure is a `ViewError`. */
export interface Views {
  /** Shows the release now and after each change, until the returned function is called. */
  follow(canary: CanaryName, show: (release: ReleaseView) => void, fail: (error: ViewError) => void): () => void;
  history(canary: CanaryName): Promise<HistoryView>;
  journal(canary: CanaryName, release: number): Promise<JournalView>;
  difference(canary: CanaryName): Promise<DifferenceView>;
  act(canary: CanaryName, verb: Verb): Promise<VerbAnswer>;
}
