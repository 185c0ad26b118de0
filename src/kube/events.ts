import { createHash } from 'node:crypto';
import type { KubeObject } from '../api/kube-object.ts';
import type { Clock } from '../base/clock.ts';
import { sleep, systemClock } from '../base/clock.ts';
import { defined } from '../base/defined.ts';
import { keepNewest } from '../base/once.ts';
import type { Cluster } from './cluster.ts';
import { ApiError, isAlreadyExists, isConflict, isNotFound, RequestTimeoutError, UnreachableError } from './errors.ts';
import { createEventLimits } from './event-limits.ts';

/** The object of an Event; a KubeObject fits. */
export interface InvolvedObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; uid?: string; resourceVersion?: string };
}

export interface EventText {
  type: 'Normal' | 'Warning';
  /** UpperCamelCase. */
  reason: string;
  message: string;
}

/** `unanswered`: no attempt was answered, or the API server was overloaded, so a later attempt can succeed. `refused`: no attempt can succeed. */
export type EventOutcome = 'taken' | 'refused' | 'unanswered';

export interface EventRecorder {
  /**
   * Never rejects: a lost Event must not stop a release. A repeat raises the count of the first; `isAgain`: it is none, since this process
   * had no answer before.
   */
  record(involved: InvolvedObject, event: EventText, isAgain?: boolean): Promise<EventOutcome>;
}

export interface EventRecorderOptions {
  component: string;
  /** This process, usually the pod's name. */
  instance: string;
  clock?: Clock;
  /** Ends the waits before another attempt. */
  signal?: AbortSignal;
  /** Called when no attempt succeeded. */
  onError?(error: unknown): void;
}

/** Pauses before each further attempt, when the API server did not answer or was overloaded. Milliseconds. */
const PAUSES_MS = [1_000, 5_000, 15_000];

/** The API server refuses longer messages (core/v1 validation). */
const longestMessage = 1024;
const longestName = 253;
/** Ten texts of a thousand Canaries. Each costs 150 bytes, and a forgotten text costs three requests instead of one. */
const mostRemembered = 10_000;

type EventName = { namespace: string; name: string };

/** An Event that was not sent, because too many came before it. */
export class TooManyEventsError extends Error {
  constructor({ kind, metadata: { namespace, name } }: InvolvedObject) {
    super(`too many events on ${kind} ${namespace}/${name}, or in its namespace: this event is only in the log`);
  }
}

/** Records core/v1 Events in the object's namespace. Their name follows from what they say, so that replicas and restarts count on. */
export function eventRecorder(cluster: Cluster, options: EventRecorderOptions): EventRecorder {
  return new Recorder(cluster, options);
}

class Recorder implements EventRecorder {
  readonly #cluster: Cluster;
  readonly #options: EventRecorderOptions;
  readonly #clock: Clock;
  /** Counts by namespace and hash of an Event, also of Events by other processes. */
  readonly #counts = new Map<string, number>();
  /** Lists of Events by other processes: one for each namespace in which a creation was refused, also if the list has failed. */
  readonly #lists = new Map<string, Promise<void>>();
  readonly #limits: ReturnType<typeof createEventLimits>;

  constructor(cluster: Cluster, options: EventRecorderOptions) {
    this.#cluster = cluster;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#limits = createEventLimits(this.#clock);
  }

  async record(involved: InvolvedObject, event: EventText, isAgain = false): Promise<EventOutcome> {
    const { namespace = '', name, uid = name } = involved.metadata;
    const ended = this.#limits.admit(namespace, uid);
    if (ended === undefined) {
      this.#options.onError?.(new TooManyEventsError(involved));
      return 'refused';
    }
    return await this.#sendUntilTaken(involved, { ...event, message: shortened(event.message) }, isAgain).finally(ended);
  }

  #remember(key: string, count: number): void {
    keepNewest(this.#counts, key, count, mostRemembered);
  }

  #firstOf(involved: InvolvedObject, event: EventText, at: EventName): KubeObject {
    const now = new Date(this.#clock.nowMs()).toISOString().replace(/\.\d+Z$/, 'Z');
    const { name, namespace, uid, resourceVersion } = involved.metadata;
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: at,
      involvedObject: { apiVersion: involved.apiVersion, kind: involved.kind, name, namespace, uid, resourceVersion },
      ...event,
      source: { component: this.#options.component, host: this.#options.instance },
      reportingComponent: this.#options.component,
      reportingInstance: this.#options.instance,
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
    };
  }

  /** `undefined` if the Event does not exist: the server removes Events after about an hour. Without a `count` it stays. */
  async #repeat(at: EventName, count?: number): Promise<KubeObject | undefined> {
    const lastTimestamp = new Date(this.#clock.nowMs()).toISOString().replace(/\.\d+Z$/, 'Z');
    try {
      return await this.#cluster.patch({ apiVersion: 'v1', kind: 'Event', ...at }, { ...defined({ count }), lastTimestamp });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** False if the Event does not exist. */
  async #raise(at: EventName, key: string, isAgain: boolean): Promise<boolean> {
    const known = this.#counts.get(key) ?? (await this.#countOf(at));
    if (known === undefined) return false;
    const count = isAgain ? known : known + 1;
    this.#remember(key, count); // before the answer, so that two at once do not write the same count
    if ((await this.#repeat(at, count)) !== undefined) return true;
    this.#counts.delete(key);
    return false;
  }

  /** An Event that is not listed shows its count when it is repeated. */
  async #countOf(at: EventName): Promise<number | undefined> {
    const event = await this.#repeat(at);
    return event && Number(event.count ?? 1);
  }

  /**
   * Learns the counts of a namespace. After a start most texts there are repeats of Events by other processes: one list replaces a read of each, and a refused
   * creation. Resolves also if they cannot be listed, as with a role of an earlier version.
   */
  #listOnce(namespace: string): Promise<void> {
    const known = this.#lists.get(namespace);
    if (known !== undefined) return known;
    const list = this.#list(namespace).catch(() => undefined);
    keepNewest(this.#lists, namespace, list, mostRemembered);
    return list;
  }

  async #list(namespace: string): Promise<void> {
    const { items } = await this.#cluster.list(
      { apiVersion: 'v1', kind: 'Event', namespace },
      {
        fieldSelector: `source=${this.#options.component}`,
        slim: ({ apiVersion, kind, metadata: { name }, count }) => ({ apiVersion, kind, metadata: { name }, count }),
      },
    );
    for (const { metadata, count } of items) {
      const key = keyOf(namespace, metadata.name.slice(metadata.name.lastIndexOf('.') + 1));
      if (!this.#counts.has(key)) this.#remember(key, Number(count ?? 1)); // our own count can be newer than the list
    }
  }

  /** `isAgain`: an earlier attempt might have been stored without an answer. */
  async #send(involved: InvolvedObject, event: EventText, isAgain: boolean): Promise<void> {
    const namespace = involved.metadata.namespace ?? 'default'; // where cluster-scoped objects have theirs
    const hash = hashOf(involved, event);
    const at = { namespace, name: `${involved.metadata.name.slice(0, longestName - hash.length - 1)}.${hash}` };
    const key = keyOf(namespace, hash);
    const create = async (): Promise<void> => {
      await this.#cluster.create(this.#firstOf(involved, event, at));
      this.#remember(key, 1);
    };
    if (this.#counts.has(key) && (await this.#raise(at, key, isAgain))) return;
    try {
      return await create();
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    await this.#listOnce(namespace);
    if (!(await this.#raise(at, key, isAgain))) await create(); // it has expired meanwhile
  }

  async #sendUntilTaken(involved: InvolvedObject, text: EventText, isAgain: boolean): Promise<EventOutcome> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        await this.#send(involved, text, isAgain || attempt > 0);
        return 'taken';
      } catch (error) {
        const pauseMs = PAUSES_MS[attempt];
        const askedMs = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
        if (pauseMs === undefined || !isTransient(error) || !(await this.#hasWaited(Math.max(pauseMs, askedMs)))) {
          this.#options.onError?.(error);
          return isTransient(error) ? 'unanswered' : 'refused';
        }
      }
    }
  }

  /** False if the signal was aborted meanwhile. */
  #hasWaited(ms: number): Promise<boolean> {
    return sleep(this.#clock, ms, this.#options.signal).then(
      () => true,
      () => false,
    );
  }
}

/** A later attempt could succeed. A conflict is one of a quota, whose use was written by another request at the same time. */
function isTransient(error: unknown): boolean {
  if (error instanceof ApiError) return error.status === 429 || error.status >= 500 || isConflict(error);
  return error instanceof RequestTimeoutError || error instanceof UnreachableError;
}

/** With its namespace: a name that was copied from another one must not change a count there. */
const keyOf = (namespace: string, hash: string): string => `${namespace}/${hash}`;

function hashOf({ apiVersion, kind, metadata }: InvolvedObject, { type, reason, message }: EventText): string {
  const parts = [apiVersion, kind, metadata.namespace, metadata.name, metadata.uid, type, reason, message];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}

function shortened(message: string): string {
  // The server counts bytes; cutting at characters keeps the text whole.
  if (Buffer.byteLength(message) <= longestMessage) return message;
  let cut = '';
  let bytes = Buffer.byteLength('…');
  for (const character of message) {
    bytes += Buffer.byteLength(character);
    if (bytes > longestMessage) break;
    cut += character;
  }
  return `${cut}…`;
}
