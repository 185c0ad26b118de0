export interface MailboxWork {
  /** One pass over everything that is known. */
  pass(): Promise<void>;
  mayRun(): boolean;
  failed(error: unknown): void;
  /** There is nothing to do until the next wake. */
  ended(): void;
}

/** Passes one after the other, never two at once: a wake during a pass causes another one. */
export class Mailbox<Message> {
  readonly #work: MailboxWork;
  #messages: Message[] = [];
  #running: Promise<void> | undefined;
  #again = false;
  #stopped = false;

  constructor(work: MailboxWork) {
    this.#work = work;
  }

  /** Something has changed, perhaps as a message says; messages wait until they are handled. */
  wake(message?: Message): void {
    if (this.#stopped) return;
    if (message !== undefined) this.#messages.push(message);
    this.#again = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      if (this.#again) this.wake();
      else if (!this.#stopped && this.#messages.length === 0) this.#work.ended();
    });
  }

  /** All messages that wait, in order. */
  get messages(): readonly Message[] {
    return [...this.#messages];
  }

  /** Removes messages that were handled. */
  handled(messages: readonly Message[]): void {
    this.#messages = this.#messages.filter((message) => !messages.includes(message));
  }

  /** Adds a pass after this one. */
  again(): void {
    this.#again = true;
  }

  /** Resolves when no pass is under way. */
  async idle(): Promise<void> {
    await this.#running;
  }

  /** Waits until no pass is under way any more, and begins none. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#again = false;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#again && !this.#stopped) {
      this.#again = false;
      try {
        if (!this.#work.mayRun()) return;
        await this.#work.pass();
      } catch (error) {
        if (!this.#stopped) this.#work.failed(error);
        return;
      }
    }
  }
}
