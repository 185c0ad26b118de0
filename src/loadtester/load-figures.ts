/** Two durations that differ by less than this factor count as the same, so that an hour of load needs a few hundred numbers. */
const STEP = 1.05;
const MAX_KINDS_OF_ERRORS = 20;

/** Results of a load: counts by status and error, and durations. */
export class LoadFigures {
  readonly #statuses = new Map<number, number>();
  readonly #errors = new Map<string, number>();
  /** By the power of STEP that is next to the duration in milliseconds. */
  readonly #durations = new Map<number, number>();
  answered = 0;
  #sumMs = 0;
  #leastMs = Number.POSITIVE_INFINITY;
  #mostMs = 0;

  answer(status: number, ms: number): void {
    this.answered += 1;
    this.#sumMs += ms;
    this.#leastMs = Math.min(this.#leastMs, ms);
    this.#mostMs = Math.max(this.#mostMs, ms);
    add(this.#statuses, status);
    add(this.#durations, Math.round(Math.log(Math.max(ms, 0.01)) / Math.log(STEP)));
  }

  error(code: string): void {
    add(this.#errors, this.#errors.size < MAX_KINDS_OF_ERRORS || this.#errors.has(code) ? code : 'other');
  }

  /** `ECONNREFUSED (12 times)`. */
  errors(): string {
    return byCount(this.#errors)
      .map(([code, count]) => `${code} (${count} ${count === 1 ? 'time' : 'times'})`)
      .join(', ');
  }

  summary(tookMs: number): string {
    const seconds = (ms: number) => `${(ms / 1000).toFixed(4)} s`;
    const lines = [
      `requests answered: ${this.answered} in ${(tookMs / 1000).toFixed(1)} s, ${(this.answered / (tookMs / 1000)).toFixed(1)} a second`,
    ];
    if (this.answered > 0) {
      lines.push(
        `time to answer: average ${seconds(this.#sumMs / this.answered)}, least ${seconds(this.#leastMs)}, most ${seconds(this.#mostMs)}`,
      );
      lines.push(`percentiles: ${[50, 90, 95, 99].map((part) => `${part}% within ${seconds(this.#percentileMs(part))}`).join(', ')}`);
      lines.push(
        `status codes: ${byCount(this.#statuses)
          .map(([status, count]) => `${status} (${count})`)
          .join(', ')}`,
      );
    }
    if (this.#errors.size > 0) lines.push(`not answered: ${this.errors()}`);
    return `${lines.join('\n')}\n`;
  }

  #percentileMs(part: number): number {
    let left = Math.ceil((this.answered * part) / 100);
    for (const [power, count] of [...this.#durations].sort(([one], [other]) => one - other)) {
      left -= count;
      if (left <= 0) return Math.min(this.#mostMs, Math.max(this.#leastMs, STEP ** power));
    }
    return this.#mostMs;
  }
}

function add<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function byCount<K>(counts: ReadonlyMap<K, number>): [K, number][] {
  return [...counts].sort(([, one], [, other]) => other - one);
}
