import { randomUUID } from 'node:crypto';
import { BoundedOutput } from './bounded-output.ts';
import type { Task, TaskRequest } from './task.ts';
import { TaskMemory } from './task-memory.ts';

export interface TasksOptions {
  timeoutMs: number;
  /** Tasks at a time, in all and of one Canary. */
  atMost: number;
  atMostOfCanary: number;
  clock: { nowMs(): number; monotonicMs(): number };
  /** Each task as it starts and as it ends. */
  onStart(task: Task): void;
  onEnd(task: Task): void;
}

export type Busy = { busy: string };

const KEEP_OUTPUT_BYTES = 65_536;
/** Limits for ended tasks that can still be queried, and the same again for failures that the next call collects. */
const REMEMBERED = { tasks: 500, outputBytes: 16_777_216, keepBytes: KEEP_OUTPUT_BYTES };

interface Running {
  task: Task;
  stop: AbortController;
  ended: Promise<Task>;
  /** Requests that wait for it. */
  waiting: number;
}

class Stopped extends Error {
  readonly state: 'timeout' | 'stopped';
  constructor(state: 'timeout' | 'stopped', why: string) {
    super(why);
    this.state = state;
  }
}

/** Runs tasks, each once at a time, within limits, and none beyond the time that it has. */
export class Tasks {
  readonly #options: TasksOptions;
  readonly #running = new Map<string, Running>();
  /** Running tasks, aborted ones until they are gone; with their namespaces. */
  readonly #living = new Map<Promise<Task>, string>();
  readonly #ended = new TaskMemory(REMEMBERED);
  /** By key: background failures that are not reported yet. */
  readonly #unreported = new TaskMemory(REMEMBERED);
  #isDraining = false;

  constructor(options: TasksOptions) {
    this.#options = options;
  }

  /** Starts it unless it runs already. `failed`: how it ended when it last ran for this revision, reported once. */
  background(request: TaskRequest): { task: Task; failed?: Task } | Busy {
    const key = `background ${request.key}`;
    const found = this.#running.get(key);
    if (found) return { task: found.task };
    const failed = this.#unreported.get(key);
    const started = this.#start(key, request);
    if ('busy' in started) return started;
    this.#unreported.delete(key);
    void started.ended.then((task) => {
      if (task.now.state === 'failed' || task.now.state === 'timeout') this.#unreported.set(key, task);
    });
    return { task: started.task, ...(failed?.checksum === request.checksum && { failed }) };
  }

  /** Resolves when it has ended. A repetition of a request that still waits joins it; when no caller waits any more, it is stopped. */
  async blocking(request: TaskRequest, signal: AbortSignal): Promise<Task | Busy> {
    const key = `blocking ${request.checksum} ${request.key}`;
    const running = this.#running.get(key) ?? this.#start(key, request);
    if ('busy' in running) return running;
    running.waiting += 1;
    const onGone = () => {
      running.waiting -= 1;
      if (running.waiting > 0) return;
      // From now on a repetition starts it again.
      if (this.#running.get(key) === running) this.#running.delete(key);
      running.stop.abort(new Stopped('stopped', 'no caller waits for its answer any more'));
    };
    signal.addEventListener('abort', onGone, { once: true });
    if (signal.aborted) onGone();
    try {
      return await running.ended;
    } finally {
      signal.removeEventListener('abort', onGone);
    }
  }

  find(id: string): Task | undefined {
    return this.#ended.get(id) ?? [...this.#running.values()].find(({ task }) => task.id === id)?.task;
  }

  /** Stops loads at once, stops tasks with a waiting caller after `graceMs`, and starts no more tasks. */
  async drain(graceMs: number): Promise<void> {
    this.#isDraining = true;
    const why = new Stopped('stopped', 'the load tester was stopped');
    const stop = (which: (key: string) => boolean) => {
      for (const [key, running] of this.#running) if (which(key)) running.stop.abort(why);
    };
    stop((key) => key.startsWith('background '));
    const timer = setTimeout(() => stop(() => true), graceMs);
    await Promise.all(this.#living.keys());
    clearTimeout(timer);
  }

  #start(key: string, request: TaskRequest): Running | Busy {
    const { atMostOfCanary, clock } = this.#options;
    if (this.#isDraining) return { busy: 'the load tester is being stopped' };
    const ofCanary = [...this.#running.values()].filter(({ task }) => task.namespace === request.namespace && task.name === request.name);
    if (ofCanary.length >= atMostOfCanary) return { busy: `${atMostOfCanary} tasks of this Canary run already` };
    const full = this.#lacksSlot(request.namespace);
    if (full !== undefined) return { busy: full };
    const output = new BoundedOutput(KEEP_OUTPUT_BYTES);
    const startedAt = new Date(clock.nowMs()).toISOString();
    const task: Task = { ...request, id: randomUUID(), startedAt, output, now: { state: 'running' } };
    const stop = new AbortController();
    const running: Running = { task, stop, waiting: 0, ended: this.#run(task, stop) };
    this.#running.set(key, running);
    this.#living.set(running.ended, request.namespace);
    this.#options.onStart(task);
    void running.ended.then(() => {
      if (this.#running.get(key) === running) this.#running.delete(key);
      this.#living.delete(running.ended);
      this.#ended.set(task.id, task);
      this.#options.onEnd(task);
    });
    return running;
  }

  /**
   * Reason for which no task of this namespace starts now. A namespace gets another slot only while more slots are free than it holds. So some slots remain for
   * other namespaces, and the last one is for a namespace that has none (I15).
   */
  #lacksSlot(namespace: string): string | undefined {
    const { atMost } = this.#options;
    const free = atMost - this.#living.size;
    if (free <= 0) return `${atMost} tasks run already`;
    const held = [...this.#living.values()].filter((one) => one === namespace).length;
    if (held < free) return undefined;
    return `namespace ${namespace} runs ${held} of ${atMost} tasks, and the rest is kept for others: try again, or raise --max-tasks`;
  }

  /** Never rejects: an error of a program becomes the result of its task. */
  async #run(task: Task, stop: AbortController): Promise<Task> {
    const { timeoutMs, clock } = this.#options;
    const startedMs = clock.monotonicMs();
    const timer = setTimeout(() => stop.abort(new Stopped('timeout', `it did not end within ${timeoutMs / 1000} s`)), timeoutMs);
    const state = await endOf(task, stop.signal);
    clearTimeout(timer);
    task.now = { ...state, tookMs: clock.monotonicMs() - startedMs };
    return task;
  }
}

type TaskResult = { state: 'succeeded' } | { state: 'failed' | 'timeout' | 'stopped'; why: string };

async function endOf({ program, output }: Task, signal: AbortSignal): Promise<TaskResult> {
  // Not in the same turn: the caller has to know it first.
  await Promise.resolve();
  try {
    signal.throwIfAborted();
    const ending = await program.run({ output, signal });
    if (ending.ok && !signal.aborted) return { state: 'succeeded' };
    if (!signal.aborted) return { state: 'failed', why: ending.ok ? '' : ending.why };
  } catch (error) {
    if (!signal.aborted) return { state: 'failed', why: `the load tester could not run it: ${(error as Error).name}` };
  }
  const reason: unknown = signal.reason;
  return reason instanceof Stopped ? { state: reason.state, why: reason.message } : { state: 'stopped', why: 'it was stopped' };
}
