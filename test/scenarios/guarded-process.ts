import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';

/**
 * The shell between this process and the program. It passes on the signals named on its standard input, and kills the program when that input ends. It ends
 * with this process after any end of it, so that not even `kill -9` of a test run leaves an etcd behind.
 * A signal to the whole process group must not end the guard, because the program can take its time, or ignore it. The program itself receives the signal:
 * trapped signals are not inherited, only ignored ones. The trap comes after the fork: until the program is loaded, its process is a shell, whose trap
 * would take a signal away.
 */
const GUARD = `
exec 3<&0
"$@" </dev/null 3<&- &
child=$!
trap : TERM INT HUP
( trap '' TERM INT HUP; while read -r signal <&3; do kill -s "$signal" "$child"; done; kill -s KILL "$child" ) 2>/dev/null &
guard=$!
while wait "$child"; code=$?; kill -0 "$child" 2>/dev/null; do :; done
kill -s KILL "$guard" 2>/dev/null
exit "$code"
`;

export interface GuardedProcess {
  readonly name: string;
  readonly logFile: string;
  /** Resolves with the exit code. */
  readonly exited: Promise<number>;
  hasExited(): boolean;
  /** Sends the signal and waits for the end. Default: SIGKILL. */
  stop(signal?: 'TERM' | 'KILL'): Promise<void>;
  /** Halts it where it is, or lets it go on. */
  send(signal: 'STOP' | 'CONT'): void;
  /** The end of its log, for messages. */
  logTail(): string;
}

/** Starts a program whose output goes to `logFile`; it never outlives this process. */
export function startGuarded(
  name: string,
  [command, ...args]: readonly [string, ...string[]],
  logFile: string,
  env: NodeJS.ProcessEnv = process.env,
): GuardedProcess {
  const log = openSync(logFile, 'a');
  const child: ChildProcess = spawn('/bin/sh', ['-c', GUARD, 'guard', command, ...args], { stdio: ['pipe', log, log], env });
  closeSync(log);
  let isOver = false;
  const exited = new Promise<number>((resolve) => {
    child.once('error', () => resolve(-1));
    child.once('exit', (code) => resolve(code ?? -1));
  }).finally(() => {
    isOver = true;
  });
  // The pipe breaks when the program ends by itself before we speak to it: its exit code says so.
  child.stdin?.on('error', () => undefined);
  return {
    name,
    logFile,
    exited,
    hasExited: () => isOver,
    async stop(signal = 'KILL') {
      if (isOver) return;
      if (signal === 'KILL') child.stdin?.end();
      else child.stdin?.write(`${signal}\n`);
      await exited;
    },
    send: (signal) => void child.stdin?.write(`${signal}\n`),
    logTail: () => readFileSync(logFile, 'utf8').split('\n').slice(-15).join('\n'),
  };
}
