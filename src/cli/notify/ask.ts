import { createInterface } from 'node:readline/promises';
import { usageError } from '../output/exit-codes.ts';

/** The answer of the user to a question; a pipeline has to say it by --yes. */
export async function askOnTerminal(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw usageError('no terminal for a confirmation: add --yes to send, or --dry-run to look');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
  } finally {
    lines.close();
  }
}
