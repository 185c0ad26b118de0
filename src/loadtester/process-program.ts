import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BoundedOutput } from './bounded-output.ts';
import type { Program, ProgramResult } from './program.ts';
import { processesOf, signalTo, TASK_VARIABLE } from './task-processes.ts';

export interface ProcessLimits {
  /** Processes of a task at a time. */
  processes: number;
  /** Memory of all of them together, in bytes. */
  memoryBytes: number;
  /** Bytes that it writes in all. */
  outputBytes: number;
}

const LOOK_EVERY_MS = 250;
/** From SIGTERM to SIGKILL. */
const GRACE_MS = 2_000;
const ROUNDS_OF_SWEEPING = 20;
/** For the kernel to take away what was killed. */
const BETWEEN_ROUNDS_MS = 20;
/** Wait for output that is still in the pipe at the end; a process that holds the pipe longer has left the task. */
const LAST_OUTPUT_MS = 500;

/**
 * A process with all that it starts, in a group of its own. A group that exceeds the limits is killed as a whole, and so are processes left when the
 * first process has ended: nothing outlives its task.
 */
export function processProgram(file: string, args: readonly string[], env: NodeJS.ProcessEnv, limits: ProcessLimits): Program {
  return {
    name: file,
    secrets: [],
    async run({ output, signal }) {
      signal.throwIfAborted();
      const task = randomUUID();
      const child = spawn(file, args, { detached: true, stdio: ['ignore', 'pipe', 'pipe'], env: { ...env, [TASK_VARIABLE]: task } });
      const { pid } = child;
      const ended = endOf(child, file);
      if (pid === undefined) return ended;
      let excess: string | undefined;
      const kill = (why: string) => {
        excess ??= why;
        signalTo(-pid, 'SIGKILL');
      };
      const onAbort = () => signalTo(-pid, 'SIGTERM');
      signal.addEventListener('abort', onAbort, { once: true });
      const late = onceAborted(signal, GRACE_MS, () => signalTo(-pid, 'SIGKILL'));
      collect(child, output, limits, kill);
      const stopLooking = watch(task, limits, kill);
      try {
        const ending = await ended;
        return excess === undefined ? ending : { ok: false, why: excess };
      } finally {
        stopLooking();
        late();
        signal.removeEventListener('abort', onAbort);
        signalTo(-pid, 'SIGKILL');
        await sweep(task);
        await Promise.race([closed(child), sleep(LAST_OUTPUT_MS)]);
        child.stdout?.destroy();
        child.stderr?.destroy();
      }
    },
  };
}

function endOf(child: ChildProcess, file: string): Promise<ProgramResult> {
  return new Promise((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      const why =
        error.code === 'ENOENT' ? `${file} is not installed beside this load tester` : `${file} could not be started: ${error.code}`;
      resolve({ ok: false, why });
    });
    child.once('exit', (code, signal) => {
      if (code === 0) resolve({ ok: true });
      else resolve({ ok: false, why: code === null ? `it was ended by ${signal}` : `it ended with exit code ${code}` });
    });
  });
}

function closed(child: ChildProcess): Promise<void> {
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null && !stream.closed);
  return Promise.all(streams.map((stream) => new Promise<void>((resolve) => stream?.once('close', () => resolve())))).then(() => undefined);
}

function collect(child: ChildProcess, output: BoundedOutput, { outputBytes }: ProcessLimits, kill: (why: string) => void): void {
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output.write(chunk);
      if (output.total <= outputBytes) return;
      kill(`it wrote more than ${Math.round(outputBytes / 1024)} KiB`);
      // Output in the pipe of a killed process is dropped.
      stream.destroy();
    });
    stream?.on('error', () => undefined);
  }
}

/** Looks again and again at what the task holds; the result stops it. */
function watch(task: string, { processes, memoryBytes }: ProcessLimits, kill: (why: string) => void): () => void {
  let isLooking = false;
  const timer = setInterval(async () => {
    if (isLooking) return;
    isLooking = true;
    const living = await processesOf(task);
    const held = living.reduce((sum, { residentBytes }) => sum + residentBytes, 0);
    if (living.length > processes) kill(`it ran more than ${processes} processes`);
    else if (held > memoryBytes) kill(`it held more than ${Math.round(memoryBytes / 1_048_576)} MiB of memory`);
    isLooking = false;
  }, LOOK_EVERY_MS);
  return () => clearInterval(timer);
}

/** Kills processes that have left the group. Several rounds: a process can have started another before it was killed. */
async function sweep(task: string): Promise<void> {
  for (let round = 0; round < ROUNDS_OF_SWEEPING; round += 1) {
    const living = await processesOf(task);
    if (living.length === 0) return;
    for (const { pid } of living) signalTo(pid, 'SIGKILL');
    await sleep(BETWEEN_ROUNDS_MS);
  }
}

/** Calls `fn` so long after the signal was aborted; the result cancels it. */
function onceAborted(signal: AbortSignal, ms: number, fn: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const start = () => {
    timer = setTimeout(fn, ms);
  };
  signal.addEventListener('abort', start, { once: true });
  return () => {
    signal.removeEventListener('abort', start);
    clearTimeout(timer);
  };
}
