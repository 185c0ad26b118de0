import type { ServerResponse } from 'node:http';
import { type Clock, every } from '../base/clock.ts';

const BEAT_MS = 20_000;
/** Interval of the check that the reader of a stream still has the right to it. */
const CHECK_MS = 10_000;
/** A reader that takes nothing is cut off here; it connects again and gets the whole state. */
const MOST_UNREAD_BYTES = 8 * 1024 * 1024;

/** The reader of a stream. */
export interface StreamReader {
  /** The same object for all streams of a session. */
  session: object;
  /** Rejects when the stream has to end. */
  check(): Promise<void>;
  /** Calls `end` when the session ends, until the returned function is called. */
  onEnd(end: () => void): () => void;
}

/** Open server-sent event streams, up to a number in sum and for each session. */
export class EventStreams {
  readonly #open = new Map<ServerResponse, object>();
  readonly #most: number;
  readonly #mostOfSession: number;
  readonly #clock: Clock;

  constructor(most: number, mostOfSession: number, clock: Clock) {
    this.#most = most;
    this.#mostOfSession = mostOfSession;
    this.#clock = clock;
  }

  /** Starts a stream, or returns false at a limit. `start` gets its sender, and returns the function that ends its source. */
  open(response: ServerResponse, reader: StreamReader, start: (send: (event: string, data: unknown) => void) => () => void): boolean {
    const ofSession = [...this.#open.values()].filter((session) => session === reader.session).length;
    if (this.#open.size >= this.#most || ofSession >= this.#mostOfSession) return false;
    this.#open.set(response, reader.session);
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    const write = (text: string) => {
      if (response.destroyed) return;
      response.write(text);
      if (response.writableLength > MOST_UNREAD_BYTES) response.destroy();
    };
    write(': open\n\n');
    const end = () => response.destroy();
    const stop = start((event, data) => write(`event: ${event}\ndata: ${boundedJson(data)}\n\n`));
    const ends = [
      every(this.#clock, BEAT_MS, () => write(': beat\n\n')),
      every(this.#clock, CHECK_MS, () => void reader.check().catch(end)),
      reader.onEnd(end),
      stop,
    ];
    response.once('close', () => {
      this.#open.delete(response);
      for (const each of ends) each();
    });
    return true;
  }

  closeAll(): void {
    for (const response of this.#open.keys()) response.destroy();
  }
}

/** Characters of one text; tenants write them. */
const LONGEST_TEXT = 2_000;

/** JSON in which no text is longer than a page can show. */
export function boundedJson(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) =>
    typeof one === 'string' && one.length > LONGEST_TEXT ? `${one.slice(0, LONGEST_TEXT)}…` : one,
  );
}
