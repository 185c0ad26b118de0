import { setTimeout as pause } from 'node:timers/promises';

/** Address for users. */
export interface Entry {
  readonly url: string;
  /** Host header, by which a proxy chooses the route. Default: the host of the URL. */
  readonly host?: string;
}

/** Results of all clients of a kind. */
export interface Seen {
  connections: number;
  /** Requests, or messages, that got their answer, by the version in it. */
  answers: Record<string, number>;
  /** Time and reason of each request without an answer; the server can have acted on it. */
  lost: string[];
  /** Sent again by another connection, since the server had said that it would not act on them. */
  resent: number;
  /** Connections that the server closed with notice (GOAWAY or a close frame). */
  asked: number;
  /** Connections that ended without that. */
  cut: number;
}

export interface Client {
  stop(): Promise<Seen>;
}

/** Counts of a client while it runs. */
export class Tally {
  readonly seen: Seen = { connections: 0, answers: {}, lost: [], resent: 0, asked: 0, cut: 0 };
  readonly #stopping = new AbortController();

  get isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  answered(version: string): void {
    this.seen.answers[version] = (this.seen.answers[version] ?? 0) + 1;
  }

  lost(why: string): void {
    this.seen.lost.push(`${new Date().toISOString()} ${why}`);
  }

  /** Counts a connection that the server ended; connections that the client ends are not counted. */
  ended(wasAsked: boolean): void {
    if (this.isStopping) return;
    if (wasAsked) this.seen.asked += 1;
    else this.seen.cut += 1;
  }

  /** Does something again and again, with a pause between, until the client stops. */
  async again(everyMs: number, once: () => Promise<unknown> | unknown): Promise<void> {
    while (!this.isStopping) {
      await once();
      // The pause ends with the client.
      await pause(everyMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
    }
  }

  /** Resolves when what the client does has its end. */
  async stop(...running: Promise<unknown>[]): Promise<Seen> {
    this.#stopping.abort();
    await Promise.all(running);
    return this.seen;
  }
}

export const PATIENCE_MS = 10_000;
