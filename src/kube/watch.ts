import type { IncomingMessage } from 'node:http';
import type { KubeObject } from '../api/kube-object.ts';
import type { Clock } from '../base/clock.ts';
import { sleep } from '../base/clock.ts';
import type { WatchHandle, WatchHandler } from './cluster.ts';
import { eachChunk } from './each-chunk.ts';
import {
  ApiError,
  isConnectionFailure,
  isForbidden,
  isGone,
  isNotFound,
  outageReason,
  SilentStreamError,
  UnreachableError,
} from './errors.ts';
import { createJsonLines } from './json-lines.ts';

export interface WatchSettings {
  /** Lifetime of one stream, drawn between these, so that many watches do not end together. Seconds. */
  streamSeconds: { from: number; to: number };
  /** A stream that is silent for so long is dead: bookmarks arrive about every minute. `undefined` requests none. */
  silentMs: number | undefined;
  /** Pause after errors: doubles from one to the other, with jitter. */
  backOffMs: { from: number; to: number };
  /** While the kind is absent or forbidden. */
  unavailableMs: { from: number; to: number };
}

export const defaultWatchSettings: WatchSettings = {
  streamSeconds: { from: 300, to: 600 },
  silentMs: 150_000,
  backOffMs: { from: 100, to: 30_000 },
  unavailableMs: { from: 5_000, to: 60_000 },
};

/** A handler that also wants the list's own resourceVersion, as the projection does. */
export interface ListHandler extends WatchHandler {
  onList(items: readonly KubeObject[], resourceVersion?: string): void;
}

export interface WatchParts {
  handler: WatchHandler;
  clock: Clock;
  random: () => number;
  settings: WatchSettings;
  log?: { warn(fields: object, message: string): void; debug(fields: object, message: string): void } | undefined;
  /** For logs: kind and namespace. */
  what: string;
  list(signal: AbortSignal): Promise<{ items: KubeObject[]; resourceVersion: string }>;
  open(resourceVersion: string, timeoutSeconds: number, signal: AbortSignal): Promise<IncomingMessage>;
  /** Called for each part of a stream. */
  onHeard?: (() => void) | undefined;
  /** Puts an event's object into the shape that lists give. */
  shape(object: KubeObject): KubeObject;
}

/** LIST, then WATCH from there for ever: a stream that ends, errs or falls silent is opened again from the last version heard. */
export function startWatch(parts: WatchParts): WatchHandle {
  return new Watch(parts);
}

class Watch implements WatchHandle {
  readonly #parts: WatchParts;
  readonly #handler: ListHandler;
  readonly #stopping = new AbortController();
  readonly #synced = Promise.withResolvers<void>();
  #heardAtMs: number;
  #opened = 0;
  #failures = 0;
  #unavailable = 0;
  #isLost = false;
  /** `undefined` if a LIST is due. */
  #version: string | undefined;

  constructor(parts: WatchParts) {
    this.#parts = parts;
    this.#handler = parts.handler;
    this.#heardAtMs = parts.clock.monotonicMs();
    this.#run().catch((err: unknown) => {
      if (!this.#stopping.signal.aborted) parts.log?.warn({ watch: parts.what, err }, 'watch ended');
    });
  }

  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  get restarts(): number {
    return Math.max(0, this.#opened - 1);
  }

  ageMs(): number {
    return this.#parts.clock.monotonicMs() - this.#heardAtMs;
  }

  stop(): void {
    this.#stopping.abort();
  }

  #heard(): void {
    this.#heardAtMs = this.#parts.clock.monotonicMs();
  }

  #setLost(why: string | undefined): void {
    if (why === undefined && !this.#isLost) return;
    this.#isLost = why !== undefined;
    this.#notify(() => this.#handler.onConnection?.(why));
  }

  async #list(): Promise<void> {
    const { items, resourceVersion } = await this.#parts.list(this.#stopping.signal);
    if (this.#stopping.signal.aborted) return;
    this.#heard();
    this.#notify(() => this.#handler.onList(items, resourceVersion));
    this.#version = resourceVersion;
    this.#synced.resolve();
  }

  /** Calls a listener; the watch goes on when it throws. */
  #notify(call: () => void): void {
    try {
      call();
    } catch (err) {
      this.#parts.log?.warn({ watch: this.#parts.what, err }, 'a watch listener failed');
    }
  }

  #receive(value: unknown): void {
    const { type, object } = value as { type: string; object: KubeObject };
    if (type === 'ERROR') throw errorOf(object);
    if (type !== 'BOOKMARK' && type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED') return;
    this.#failures = 0;
    this.#unavailable = 0;
    if (type !== 'BOOKMARK') this.#notify(() => this.#handler.onEvent({ type, object: this.#parts.shape(object) }));
    this.#version = object.metadata.resourceVersion ?? this.#version;
  }

  /** One stream until its end; throws where it did not end by itself. */
  async #follow(from: string): Promise<void> {
    const stream = new AbortController();
    const onStop = (): void => stream.abort(this.#stopping.signal.reason);
    this.#stopping.signal.addEventListener('abort', onStop, { once: true });
    let cancelSilence = this.#watchSilence(stream);
    try {
      const { from: shortest, to: longest } = this.#parts.settings.streamSeconds;
      const timeoutSeconds = Math.max(1, Math.round(shortest + (longest - shortest) * this.#parts.random()));
      if (this.#opened > 0) this.#parts.log?.debug({ watch: this.#parts.what, resourceVersion: from }, 'watch opened again');
      this.#opened += 1;
      const response = await this.#parts.open(from, timeoutSeconds, stream.signal);
      this.#heard();
      this.#setLost(undefined);
      const lines = createJsonLines((value) => this.#receive(value));
      await eachChunk(response, (chunk) => {
        if (stream.signal.aborted) return;
        this.#heard();
        this.#parts.onHeard?.();
        cancelSilence();
        cancelSilence = this.#watchSilence(stream);
        lines.push(chunk);
      });
      if (stream.signal.aborted) throw stream.signal.reason;
    } catch (cause) {
      if (stream.signal.aborted) throw stream.signal.reason;
      throw isConnectionFailure(cause) ? new UnreachableError(`watch of ${this.#parts.what}`, cause) : cause;
    } finally {
      cancelSilence();
      this.#stopping.signal.removeEventListener('abort', onStop);
      stream.abort(); // frees the socket of a stream that we left early
    }
  }

  /** Ends a stream on which nothing is heard. */
  #watchSilence(stream: AbortController): () => void {
    const { silentMs } = this.#parts.settings;
    if (silentMs === undefined) return () => undefined;
    return this.#parts.clock.setTimer(silentMs, () => stream.abort(new SilentStreamError(this.#parts.what, silentMs)));
  }

  /** Between half of the doubled delay and all of it. */
  #delayMs({ from, to }: { from: number; to: number }, times: number): number {
    return Math.min(to, from * 2 ** Math.min(times, 20)) * (0.5 + this.#parts.random() / 2);
  }

  async #recover(error: unknown): Promise<void> {
    if (error instanceof SilentStreamError) {
      this.#parts.log?.warn({ watch: this.#parts.what, silentMs: this.#parts.settings.silentMs }, 'watch fell silent');
      return;
    }
    if (isNotFound(error) || isForbidden(error)) {
      this.#version = undefined;
      const cause = isForbidden(error) ? 'forbidden' : 'absent';
      if (this.#unavailable === 0) this.#parts.log?.warn({ watch: this.#parts.what, cause, err: error }, 'watch unavailable');
      this.#notify(() => this.#handler.onUnavailable?.(cause, error.message));
      await sleep(this.#parts.clock, this.#delayMs(this.#parts.settings.unavailableMs, this.#unavailable++), this.#stopping.signal);
      return;
    }
    if (isGone(error)) this.#version = undefined;
    else {
      this.#parts.log?.warn({ watch: this.#parts.what, err: error }, 'watch failed');
      this.#setLost(outageReason(error));
    }
    const askedMs = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
    const waitMs = Math.max(this.#delayMs(this.#parts.settings.backOffMs, this.#failures++), askedMs);
    await sleep(this.#parts.clock, waitMs, this.#stopping.signal);
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        if (this.#version === undefined) await this.#list();
        // The list's listener might have stopped the watch: a stream that begins after that would never be stopped.
        if (this.#stopping.signal.aborted) return;
        const openedAtMs = this.#parts.clock.monotonicMs();
        if (this.#version !== undefined) await this.#follow(this.#version);
        this.#unavailable = 0;
        // Without the pause, a server that ends every stream at once would be called in a loop.
        if (this.#parts.clock.monotonicMs() - openedAtMs < this.#parts.settings.backOffMs.from)
          await sleep(this.#parts.clock, this.#delayMs(this.#parts.settings.backOffMs, this.#failures++), this.#stopping.signal);
      } catch (error) {
        if (this.#stopping.signal.aborted) return;
        await this.#recover(error);
      }
    }
  }
}

/** The Status that an ERROR event carries. */
function errorOf(status: KubeObject): ApiError {
  const code: unknown = status.code;
  const reason: unknown = status.reason;
  return new ApiError(`watch: ${String(status.message ?? reason)}`, {
    status: typeof code === 'number' ? code : 500,
    reason: typeof reason === 'string' ? reason : 'Unknown',
  });
}
