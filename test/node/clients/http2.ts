import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import { versionOf } from '../applications.ts';
import { type Client, type Entry, PATIENCE_MS, Tally } from './client.ts';

const STREAMS = 10;
const STREAMS_EVERY_MS = 500;
const CALLS = 3;
const OPENED_AGAIN_MS = 100;
const WATCH = '/web.v1.Shop/Watch';
/** Before any message it says that the call was not begun; clients of gRPC try again. */
const UNAVAILABLE = '14';
/** Prefix of a message of gRPC: a flag for compression, and its length. */
const PREFIX_BYTES = 5;

/** One connection of HTTP/2, with ten streams at a time. */
export function manyStreams(entry: Entry): Client {
  const tally = new Tally();
  const channel = new Channel(entry, tally);
  const underWay = new Set<Promise<void>>();
  const one = async (): Promise<void> => {
    try {
      tally.answered(await channel.get());
    } catch (error) {
      if (!(error instanceof NotActedOn)) return tally.lost(String(error));
      tally.seen.resent += 1;
      await channel.get().then(
        (version) => tally.answered(version),
        (again: Error) => tally.lost(`sent again: ${again.message}`),
      );
    }
  };
  const running = tally.again(STREAMS_EVERY_MS, () => {
    for (let count = 0; count < STREAMS; count++) {
      const sent = one().finally(() => underWay.delete(sent));
      underWay.add(sent);
    }
  });
  return { stop: () => tally.stop(running.then(() => Promise.all(underWay))).finally(() => channel.leave()) };
}

/** Server streams of gRPC, opened again when they end. `lost` are the streams that ended without a status. */
export function grpcStreams(entry: Entry): Client {
  const tally = new Tally();
  const channels = Array.from({ length: CALLS }, () => new Channel(entry, tally));
  const running = channels.map((channel) => tally.again(OPENED_AGAIN_MS, () => channel.watch()));
  return {
    stop() {
      const stopped = tally.stop(...running);
      for (const channel of channels) channel.leave();
      return stopped;
    },
  };
}

/** The server has said that it has not begun with it. */
class NotActedOn extends Error {}

/** A connection, which is opened again when the server has ended it or will. */
class Channel {
  readonly #entry: Entry;
  readonly #tally: Tally;
  #session: ClientHttp2Session | undefined;
  #asked = false;

  constructor(entry: Entry, tally: Tally) {
    this.#entry = entry;
    this.#tally = tally;
  }

  /** The version in the answer. */
  async get(): Promise<string> {
    const stream = this.#request({ ':method': 'GET', ':path': '/' });
    stream.setTimeout(PATIENCE_MS, () => stream.destroy(new Error(`no answer within ${PATIENCE_MS} ms`)));
    let status = 0;
    let text = '';
    stream.on('response', (answer) => (status = answer[':status'] ?? 0));
    stream.setEncoding('utf8');
    stream.on('data', (part: string) => (text += part));
    await ended(stream);
    if (status >= 500 || status === 0) throw new Error(`status ${status}`);
    return versionOf(text);
  }

  /** Resolves when the stream has ended. */
  async watch(): Promise<void> {
    const stream = this.#request({ ':method': 'POST', ':path': WATCH, 'content-type': 'application/grpc', te: 'trailers' });
    stream.end(Buffer.alloc(PREFIX_BYTES));
    let status: unknown;
    let why = 'no status';
    stream.on('trailers', (trailers) => (status = trailers['grpc-status']));
    let isBegun = true;
    stream.on('response', (answer) => {
      if (answer['grpc-status'] === UNAVAILABLE) isBegun = false;
      else if (answer[':status'] !== 200) why = `status ${answer[':status']}`;
    });
    stream.on('data', (message: Buffer) => this.#tally.answered(message.subarray(PREFIX_BYTES).toString()));
    await ended(stream).catch((error: Error) => (why = error.message));
    if (this.#tally.isStopping) return;
    if (!isBegun) this.#tally.seen.resent += 1;
    else if (status === undefined) this.#tally.lost(why);
  }

  leave(): void {
    this.#session?.destroy();
  }

  #request(headers: Record<string, string>): ClientHttp2Stream {
    return this.#connected().request({ ...headers, ':authority': this.#entry.host ?? new URL(this.#entry.url).host });
  }

  #connected(): ClientHttp2Session {
    if (this.#session !== undefined && !this.#asked && !this.#session.closed && !this.#session.destroyed) return this.#session;
    const session = connect(this.#entry.url);
    this.#session = session;
    this.#asked = false;
    let wasAsked = false;
    session.on('connect', () => {
      this.#tally.seen.connections += 1;
      session.once('close', () => this.#tally.ended(wasAsked));
    });
    session.on('goaway', () => {
      wasAsked = true;
      if (this.#session === session) this.#asked = true;
    });
    // Each stream fails by itself.
    session.on('error', () => undefined);
    return session;
  }
}

function ended(stream: ClientHttp2Stream): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.once('error', (error) =>
      reject(stream.rstCode === constants.NGHTTP2_REFUSED_STREAM ? new NotActedOn('refused before it began') : error),
    );
    stream.once('close', () => (stream.rstCode === constants.NGHTTP2_NO_ERROR ? resolve() : reject(new Error(`reset ${stream.rstCode}`))));
  });
}
