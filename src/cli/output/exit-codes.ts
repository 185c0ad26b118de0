/** What the exit code of a command for people says; docs/cli.md has the table. Programs may match on the numbers. */
export const exitCodes = {
  done: { code: 0, says: 'it is so, or it was done' },
  no: { code: 1, says: 'the answer is no: the release failed, there is a difference, a manifest has an error' },
  unanswered: { code: 2, says: 'nobody knows: the cluster was not reached, did not answer in time, or refused to tell' },
  timedOut: { code: 3, says: 'what was waited for did not come in time' },
  notFound: { code: 4, says: 'there is no such Canary, or no such revision of it' },
  refused: { code: 5, says: 'a request was refused, by the API server or as the release stands now; the message says why' },
  usage: { code: 64, says: 'the command line is wrong' },
  fault: { code: 70, says: 'a fault of Serin itself' },
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
