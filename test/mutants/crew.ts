import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { FromWorker, Job, Tried } from './worker.ts';

/** Time without the end of a test: the mutant loops, or waits for an event that never comes. */
const SILENCE_MS = 120_000;

export interface Attempt extends Tried {
  seconds: number;
}

/** One worker process, and a new one after each that had to be killed. */
export class Crewman {
  #process: ChildProcess | undefined;
  readonly #args: readonly string[];

  /** `args`: of its workers. */
  constructor(...args: readonly string[]) {
    this.#args = args;
  }

  /** Tries a mutant; a hung one counts as noticed. */
  async run(job: Job): Promise<Attempt> {
    const worker = this.#process ?? (await this.#start());
    const beganMs = performance.now();
    const tried = await new Promise<Tried>((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      const settle = (result: Tried): void => {
        clearTimeout(timer);
        worker.off('message', hear);
        worker.off('exit', gone);
        resolve(result);
      };
      const watch = (): void => {
        clearTimeout(timer);
        timer = setTimeout(() => {
          settle({ file: 'timeout' });
          this.stop();
        }, SILENCE_MS);
      };
      const hear = (message: FromWorker): void => ('tried' in message ? settle(message.tried) : watch());
      const gone = (): void => {
        this.#process = undefined;
        settle({ file: 'crash' });
      };
      worker.on('message', hear);
      worker.on('exit', gone);
      watch();
      worker.send(job);
    });
    return { ...tried, seconds: (performance.now() - beganMs) / 1000 };
  }

  /** Ends the worker and the processes that it has started. */
  stop(): void {
    const pid = this.#process?.pid;
    this.#process?.removeAllListeners();
    this.#process = undefined;
    if (pid === undefined) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // The process has ended by itself.
    }
  }

  async #start(): Promise<ChildProcess> {
    // A process group of its own: vitest's workers are killed with it.
    const worker = fork(join(import.meta.dirname, 'worker.ts'), this.#args, {
      detached: true,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#process = worker;
    await new Promise<void>((resolve, reject) => {
      worker.once('message', () => resolve());
      worker.once('exit', (code) => reject(new Error(`the worker ended with ${code} before it was ready`)));
    });
    worker.removeAllListeners('exit');
    return worker;
  }
}
