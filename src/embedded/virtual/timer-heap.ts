export interface Timer {
  readonly atMs: number;
  /** Of two timers of one moment the earlier set one fires first. */
  readonly nth: number;
  /** Absent if the timer is cancelled. */
  fn?: (() => void) | undefined;
}

/** Timers by time, then in the order in which they were set. */
export class TimerHeap {
  #heap: Timer[] = [];

  get size(): number {
    return this.#heap.length;
  }

  /** Without cancelled timers, which stay until their time. */
  get pending(): number {
    return this.#heap.filter(({ fn }) => fn !== undefined).length;
  }

  add(timer: Timer): void {
    const heap = this.#heap;
    let at = heap.push(timer) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(timer, heap[parent] as Timer)) break;
      heap[at] = heap[parent] as Timer;
      at = parent;
    }
    heap[at] = timer;
  }

  /** The next timer that was not cancelled. */
  take(): Timer | undefined {
    for (;;) {
      const first = this.#pop();
      if (first === undefined || first.fn !== undefined) return first;
    }
  }

  #pop(): Timer | undefined {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Timer, heap[child] as Timer)) child += 1;
      if (!isBefore(heap[child] as Timer, last)) break;
      heap[at] = heap[child] as Timer;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}

const isBefore = (a: Timer, b: Timer): boolean => a.atMs < b.atMs || (a.atMs === b.atMs && a.nth < b.nth);
