/** The last output of a program, which has the reason if it failed. */
export class BoundedOutput {
  readonly #keepBytes: number;
  #kept: Buffer[] = [];
  #keptBytes = 0;
  /** Bytes written in all. */
  total = 0;

  constructor(keepBytes: number) {
    this.#keepBytes = keepBytes;
  }

  write(chunk: string | Buffer): void {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    this.total += bytes.length;
    this.#kept.push(bytes);
    this.#keptBytes += bytes.length;
    // Now and then, so that many small chunks are not copied again for each.
    if (this.#keptBytes > 2 * this.#keepBytes || this.#kept.length > 1024) this.#cut();
  }

  text(): string {
    this.#cut();
    const left = this.total - this.#keptBytes;
    return `${left > 0 ? `[${left} bytes before this are left out]\n` : ''}${Buffer.concat(this.#kept).toString('utf8')}`;
  }

  #cut(): void {
    const all = Buffer.concat(this.#kept);
    // Copied, or the slice would hold the memory of all.
    const kept = Buffer.from(all.subarray(Math.max(0, all.length - this.#keepBytes)));
    this.#kept = [kept];
    this.#keptBytes = kept.length;
  }
}
