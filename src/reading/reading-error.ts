/** Reason for the missing result: not found, a negative result, a refused request, a timeout, or no response from the cluster. */
export type NoAnswer = 'notFound' | 'no' | 'refused' | 'timedOut' | 'unanswered';

/** A read or a request to a Canary that fails. The message is for the user: `cli` maps it to an exit code, the dashboard to an HTTP status. */
export class ReadingError extends Error {
  override readonly name = 'ReadingError';
  readonly why: NoAnswer;

  constructor(why: NoAnswer, message: string, options?: ErrorOptions) {
    super(message, options);
    this.why = why;
  }
}
