/** Meaning of the exit codes; docs/cli.md has the table. Programs may match on the numbers. */
export const exitCodes = {
  done: { code: 0, says: 'success' },
  no: { code: 1, says: 'a negative result: the release failed, a difference was found, a manifest has an error' },
  unanswered: { code: 2, says: 'no result: the cluster was not reached, did not answer in time, or denied access' },
  timedOut: { code: 3, says: 'the timeout passed' },
  notFound: { code: 4, says: 'the Canary, or its revision, was not found' },
  refused: { code: 5, says: 'the request was refused, by the API server or in the current state of the release; the message says why' },
  usage: { code: 64, says: 'the command line is wrong: see --help' },
  fault: { code: 70, says: 'a bug in Serin' },
} as const satisfies Record<string, { code: number; says: string }>;

export type ExitName = keyof typeof exitCodes;

/** A command ends with this line on the standard error, and with this exit code. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exit: ExitName;

  constructor(exit: ExitName, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exit = exit;
  }
}

/** The command line is wrong. */
export const usageError = (message: string, options?: ErrorOptions): CommandError => new CommandError('usage', message, options);
