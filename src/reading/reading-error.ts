/** Why a reader gets no answer: nothing there, a negative result, a request that was refused, no time left, or no answer of the cluster. */
export type NoAnswer = 'notFound' | 'no' | 'refused' | 'timedOut' | 'unanswered';

/** What was asked for cannot be answered. The message is for the user: `cli` gives it an exit code, the dashboard a status of HTTP. */
export class ReadingError extends Error {
  override readonly name = 'ReadingError';
  readonly why: NoAnswer;

  constructor(why: NoAnswer, message: string, options?: ErrorOptions) {
    super(message, options);
    this.why = why;
  }
}
