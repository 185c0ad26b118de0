import type { IncomingMessage } from 'node:http';
import type { KubeObject } from '../api/kube-object.ts';
import type { Clock } from './clock.ts';
import { sleep } from './clock.ts';
import type { WatchHandle, WatchHandler } from './cluster.ts';
import { eachChunk } from './each-chunk.ts';
import { ApiError, isConnectionFailure, isForbidden, isGone, isNotFound, SilentStreamError, UnreachableError } from './errors.ts';
import { createJsonLines } from './json-lines.ts';

export interface WatchSettings {
  /** How long one stream may last: drawn between these, so that many watches do not end together. Seconds. */
  streamSeconds: { from: number; to: number };
  /** A stream on which nothing is heard for so long is dead: bookmarks come about every minute. Absent: none are asked for. */
  silentMs: number | undefined;
  /** After errors: doubles from one to the other, with jitter. */
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
  const { clock, settings, random, log, what } = parts;
  const handler: ListHandler = parts.handler;
  const stopping = new AbortController();
  const synced = Promise.withResolvers<void>();
  let heardAtMs = clock.monotonicMs();
  let opened = 0;
  let failures = 0;
  let unavailable = 0;
  let version: string | undefined; // undefined: a LIST is due

  const heard = (): void => {
    heardAtMs = clock.monotonicMs();
  };

  async function list(): Promise<void> {
    const { items, resourceVersion } = await parts.list(stopping.signal);
    if (stopping.signal.aborted) return;
    heard();
    notify(() => handler.onList(items, resourceVersion));
    version = resourceVersion;
    synced.resolve();
  }

  /** Calls a listener; the watch goes on when it throws. */
  function notify(call: () => void): void {
    try {
      call();
    } catch (err) {
      log?.warn({ watch: what, err }, 'a watch listener failed');
    }
  }

  function receive(value: unknown): void {
    const { type, object } = value as { type: string; object: KubeObject };
    if (type === 'ERROR') throw errorOf(object);
    if (type !== 'BOOKMARK' && type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED') return;
    failures = 0;
    unavailable = 0;
    if (type !== 'BOOKMARK') notify(() => handler.onEvent({ type, object: parts.shape(object) }));
    version = object.metadata.resourceVersion ?? version;
  }

  /** One stream until its end; throws where it did not end by itself. */
  async function follow(from: string): Promise<void> {
    const stream = new AbortController();
    const onStop = (): void => stream.abort(stopping.signal.reason);
    stopping.signal.addEventListener('abort', onStop, { once: true });
    let cancelSilence = watchSilence();
    function watchSilence(): () => void {
      const { silentMs } = settings;
      if (silentMs === undefined) return () => undefined;
      return clock.setTimer(silentMs, () => stream.abort(new SilentStreamError(what, silentMs)));
    }
    try {
      const { from: shortest, to: longest } = settings.streamSeconds;
      const timeoutSeconds = Math.max(1, Math.round(shortest + (longest - shortest) * random()));
      if (opened > 0) log?.debug({ watch: what, resourceVersion: from }, 'watch opened again');
      opened += 1;
      const response = await parts.open(from, timeoutSeconds, stream.signal);
      heard();
      const lines = createJsonLines(receive);
      await eachChunk(response, (chunk) => {
        if (stream.signal.aborted) return;
        heard();
        parts.onHeard?.();
        cancelSilence();
        cancelSilence = watchSilence();
        lines.push(chunk);
      });
      if (stream.signal.aborted) throw stream.signal.reason;
    } catch (cause) {
      if (stream.signal.aborted) throw stream.signal.reason;
      throw isConnectionFailure(cause) ? new UnreachableError(`watch of ${what}`, cause) : cause;
    } finally {
      cancelSilence();
      stopping.signal.removeEventListener('abort', onStop);
      stream.abort(); // frees the socket of a stream that we left early
    }
  }

  /** Between half of the doubled delay and all of it. */
  function delayMs({ from, to }: { from: number; to: number }, times: number): number {
    return Math.min(to, from * 2 ** Math.min(times, 20)) * (0.5 + random() / 2);
  }

  async function recover(error: unknown): Promise<void> {
    if (error instanceof SilentStreamError) {
      log?.warn({ watch: what, silentMs: settings.silentMs }, 'watch fell silent');
      return;
    }
    if (isNotFound(error) || isForbidden(error)) {
      version = undefined;
      const cause = isForbidden(error) ? 'forbidden' : 'absent';
      if (unavailable === 0) log?.warn({ watch: what, cause, err: error }, 'watch unavailable');
      notify(() => handler.onUnavailable?.(cause, error.message));
      await sleep(clock, delayMs(settings.unavailableMs, unavailable++), stopping.signal);
      return;
    }
    if (isGone(error)) version = undefined;
    else log?.warn({ watch: what, err: error }, 'watch failed');
    const askedMs = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
    const waitMs = Math.max(delayMs(settings.backOffMs, failures++), Math.min(askedMs, settings.backOffMs.to));
    await sleep(clock, waitMs, stopping.signal);
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        if (version === undefined) await list();
        // The list's listener may have stopped the watch: a stream that begins after that would never be stopped.
        if (stopping.signal.aborted) return;
        const openedAtMs = clock.monotonicMs();
        if (version !== undefined) await follow(version);
        unavailable = 0;
        // A server that ends every stream at once would otherwise be asked without a pause.
        if (clock.monotonicMs() - openedAtMs < settings.backOffMs.from)
          await sleep(clock, delayMs(settings.backOffMs, failures++), stopping.signal);
      } catch (error) {
        if (stopping.signal.aborted) return;
        await recover(error);
      }
    }
  }

  run().catch((err: unknown) => {
    if (!stopping.signal.aborted) log?.warn({ watch: what, err }, 'watch ended');
  });

  return {
    synced: synced.promise,
    ageMs: () => clock.monotonicMs() - heardAtMs,
    get restarts() {
      return Math.max(0, opened - 1);
    },
    stop: () => stopping.abort(),
  };
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
