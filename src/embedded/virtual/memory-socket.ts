import { Duplex } from 'node:stream';
import type { Clock } from '../../base/clock.ts';

/** Time that one way takes, in milliseconds. */
export type Latency = () => number;

/** More than this that the other end has not read holds up who writes, as the buffers of a connection do. Bytes. */
const BUFFER_BYTES = 1024 * 1024;

/** The process at the end of a connection: a halted process gets nothing until it goes on. */
export interface Gate {
  serve(fn: () => void): void;
}

/** The process always runs. */
export const openGate: Gate = { serve: (fn) => fn() };

interface Wiring {
  clock: Clock;
  latency: Latency;
  gate: Gate;
  port: number;
  /** Servers hear a half-closed client out. */
  allowHalfOpen: boolean;
}

/**
 * One end of a connection within this process. As TCP: bytes arrive in order and later; an end arrives after all bytes; a side that closes with
 * unread bytes, or is written to when it is closed, resets the connection.
 */
export class MemorySocket extends Duplex {
  connecting = true;
  timeout = 0;
  readonly remoteAddress = '127.0.0.1';
  readonly remoteFamily = 'IPv4';
  readonly localAddress = '127.0.0.1';
  readonly remotePort: number;
  readonly #wiring: Wiring;
  #other: MemorySocket | undefined;
  /** Sent, and not read by the other end. */
  #unread = 0;
  #onRoom: (() => void) | undefined;
  #unsent: (() => void)[] = [];
  #arrivesMs = 0;
  #endSent = false;
  #cancelTimeout: (() => void) | undefined;

  constructor(wiring: Wiring) {
    super({ allowHalfOpen: wiring.allowHalfOpen });
    this.#wiring = wiring;
    this.remotePort = wiring.port;
  }

  /** From now on both ends exist. */
  static connect(client: MemorySocket, server: MemorySocket): void {
    [client.#other, server.#other] = [server, client];
    for (const one of [server, client]) one.connecting = false;
  }

  /** Sends what has waited; call it once the server has its end. */
  connected(): void {
    for (const send of this.#unsent.splice(0)) send();
    this.emit('connect');
    this.emit('ready');
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#active();
    this.#send((other) => other.#arrive(chunk));
    this.#unread += chunk.length;
    if (this.#unread > BUFFER_BYTES) this.#onRoom = done;
    else done();
  }

  /** Chunks that were buffered to be sent together, as the head of an HTTP chunk and its bytes: one delivery instead of three. */
  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), 'binary', done);
  }

  override _final(done: () => void): void {
    this.#endSent = true;
    this.#send((other) => other.#arriveEnd());
    done();
  }

  override _read(): void {
    const other = this.#other;
    if (other) other.#read(this.readableLength);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#cancelTimeout?.();
    this.#unsent = [];
    const isReset = this.readableLength > 0 || error !== null;
    if (isReset) this.#send((other) => other.#reset());
    else if (!this.#endSent) this.#send((other) => other.#arriveEnd());
    done(error);
  }

  setTimeout(ms: number, onTimeout?: () => void): this {
    this.timeout = ms;
    if (onTimeout) this.once('timeout', onTimeout);
    this.#active();
    return this;
  }

  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy());
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  /** Later, in the order of sending, but not before another end exists. */
  #send(deliver: (other: MemorySocket) => void): void {
    const send = (): void => {
      const { clock, latency } = this.#wiring;
      const nowMs = clock.monotonicMs();
      this.#arrivesMs = Math.max(this.#arrivesMs, nowMs + latency());
      const other = this.#other;
      if (other) clock.setTimer(this.#arrivesMs - nowMs, () => other.#wiring.gate.serve(() => deliver(other)));
    };
    if (this.connecting && !this.destroyed) this.#unsent.push(send);
    else send();
  }

  #arrive(chunk: Buffer): void {
    if (this.destroyed) {
      this.#send((other) => other.#reset());
      return;
    }
    this.#active();
    this.push(chunk);
  }

  #arriveEnd(): void {
    if (!this.destroyed && !this.readableEnded) this.push(null);
  }

  #reset(): void {
    if (!this.destroyed) this.destroy(socketError('ECONNRESET', 'read'));
  }

  #read(left: number): void {
    this.#unread = left;
    const onRoom = this.#onRoom;
    this.#onRoom = undefined;
    onRoom?.();
  }

  #active(): void {
    this.#cancelTimeout?.();
    this.#cancelTimeout = undefined;
    if (this.timeout > 0 && !this.destroyed)
      this.#cancelTimeout = this.#wiring.clock.setTimer(this.timeout, () => void this.emit('timeout'));
  }
}

/** The failures of TCP in Node's words. */
export function socketError(code: 'ECONNRESET' | 'ECONNREFUSED' | 'ENOTFOUND' | 'EADDRINUSE', call: string, where = ''): Error {
  const message = `${call} ${code}${where === '' ? '' : ` ${where}`}`;
  return Object.assign(new Error(message), { code, syscall: call });
}
