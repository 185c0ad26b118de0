import type { ServerResponse } from 'node:http';
import { boundedJson } from './bounded-json.ts';

const BEAT_MS = 20_000;
/** A reader that takes nothing is cut off here; it connects again and gets the whole state. */
const MOST_UNREAD_BYTES = 8 * 1024 * 1024;

/** Open server-sent event streams, up to a number. */
export class EventStreams {
  readonly #open = new Set<ServerResponse>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** Starts a stream; undefined: there are too many. `start` gets its sender, and returns what ends its source. */
  open(response: ServerResponse, start: (send: (event: string, data: unknown) => void) => () => void): boolean {
    if (this.#open.size >= this.#most) return false;
    this.#open.add(response);
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    const write = (text: string) => {
      if (response.destroyed) return;
      response.write(text);
      if (response.writableLength > MOST_UNREAD_BYTES) response.destroy();
    };
    write(': open\n\n');
    const stop = start((event, data) => write(`event: ${event}\ndata: ${boundedJson(data)}\n\n`));
    const beat = setInterval(() => write(': beat\n\n'), BEAT_MS);
    response.once('close', () => {
      clearInterval(beat);
      this.#open.delete(response);
      stop();
    });
    return true;
  }

  closeAll(): void {
    for (const response of this.#open) response.destroy();
  }
}
