import { closeSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { CREDENTIAL_VARIABLES } from '../../loadtester/loadtester.ts';
import { ownProgram } from '../own-program.ts';

const OwnCredentials = z.object({ token: z.string().optional(), signingKey: z.string().optional() });
export type OwnCredentials = z.infer<typeof OwnCredentials>;

/** Set where they are read from standard input. */
const ON_STDIN = `${CREDENTIAL_VARIABLES}ON_STDIN`;
const STDIN = 0;
/** The first is in memory, and also writable in a container with a read-only root. */
const FOLDERS = ['/dev/shm', tmpdir()];

/**
 * The credentials from the environment. Commands run as the user of this process, and so can read the environment that it was started with
 * (`/proc/$PPID/environ`, even after variables are deleted). So where commands are allowed, the process replaces itself by a process with the same id and
 * without the credentials, and passes these on in a file that is already unlinked. Throws if no such file can be made.
 */
export function ownCredentials(env: NodeJS.ProcessEnv, { runsCommands }: { runsCommands: boolean }): OwnCredentials {
  if (env[ON_STDIN] !== undefined) return fromStdin();
  const given = {
    token: env[`${CREDENTIAL_VARIABLES}TOKEN`] || undefined,
    signingKey: env[`${CREDENTIAL_VARIABLES}SIGNING_KEY`] || undefined,
  };
  const isGiven = given.token !== undefined || given.signingKey !== undefined;
  if (!isGiven || !runsCommands || process.platform !== 'linux' || process.execve === undefined) return given;
  const rest = Object.entries(env).filter(([name]) => !name.startsWith(CREDENTIAL_VARIABLES));
  const [program, ...script] = ownProgram();
  toStdin(JSON.stringify(given));
  return process.execve(program, [program, ...process.execArgv, ...script, ...process.argv.slice(2)], {
    ...Object.fromEntries(rest.map(([name, value]) => [name, value ?? ''])),
    [ON_STDIN]: '1',
  });
}

/** Only standard streams are left to the program that replaces this one. */
function toStdin(text: string): void {
  const { file, fd } = unnamed();
  try {
    writeSync(fd, text);
    closeSync(STDIN);
    // The lowest that is free.
    if (openSync(file, 'r') !== STDIN) throw new Error('standard input could not be replaced');
  } finally {
    unlinkSync(file);
    closeSync(fd);
  }
}

function unnamed(): { file: string; fd: number } {
  for (const folder of FOLDERS) {
    const file = join(folder, `serin-loadtester-${process.pid}`);
    try {
      return { file, fd: openSync(file, 'wx', 0o600) };
    } catch {
      // The next folder might be writable.
    }
  }
  throw new Error(`${FOLDERS.join(' and ')} cannot be written`);
}

function fromStdin(): OwnCredentials {
  const text = readFileSync(STDIN, 'utf8');
  closeSync(STDIN);
  openSync('/dev/null', 'r');
  return OwnCredentials.parse(JSON.parse(text));
}
