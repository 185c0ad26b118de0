import type { Task } from './task.ts';

export interface TaskMemoryLimits {
  tasks: number;
  /** Bytes of their outputs together. */
  outputBytes: number;
  /** Bytes that one output keeps at most. */
  keepBytes: number;
}

/** Ended tasks. Over the limit the namespace with most of them loses its oldest: no other loses a report. */
export class TaskMemory {
  readonly #limits: TaskMemoryLimits;
  readonly #tasks = new Map<string, Task>();

  constructor(limits: TaskMemoryLimits) {
    this.#limits = limits;
  }

  get(key: string): Task | undefined {
    return this.#tasks.get(key);
  }

  set(key: string, task: Task): void {
    this.#tasks.delete(key);
    this.#tasks.set(key, task);
    if (this.#tasks.size > this.#limits.tasks) this.#forget(() => 1);
    while (this.#sum((one) => this.#bytes(one)) > this.#limits.outputBytes) this.#forget((one) => this.#bytes(one));
  }

  delete(key: string): void {
    this.#tasks.delete(key);
  }

  readonly #bytes = ({ output }: Task): number => Math.min(output.total, this.#limits.keepBytes);

  #sum(amountOf: (task: Task) => number): number {
    return [...this.#tasks.values()].reduce((sum, task) => sum + amountOf(task), 0);
  }

  #forget(amountOf: (task: Task) => number): void {
    const held = new Map<string, number>();
    for (const task of this.#tasks.values()) held.set(task.namespace, (held.get(task.namespace) ?? 0) + amountOf(task));
    const most = Math.max(...held.values());
    for (const [key, task] of this.#tasks) {
      if (held.get(task.namespace) !== most) continue;
      this.#tasks.delete(key);
      return;
    }
  }
}
