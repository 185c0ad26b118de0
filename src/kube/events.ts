import { createHash } from 'node:crypto';
import type { KubeObject } from '../api/kube-object.ts';
import type { Clock } from '../base/clock.ts';
import { sleep, systemClock } from '../base/clock.ts';
import { defined } from '../base/defined.ts';
import { keptIn } from '../base/once.ts';
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
/** Ten texts of a thousand Canaries. Each costs 100 bytes, and a forgotten text costs three requests instead of one. */
const mostRemembered = 10_000;

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
  /** Counts by the hash of an Event's text and object. */
  readonly #counts = new Map<string, number>();
  /** Counts of Events by other processes that this process has not repeated. */
  readonly #found = new Map<string, number>();
  /** The lists of these, one for each namespace in which an Event was found to exist. */
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

  #remember(hash: string, count: number): void {
    this.#found.delete(hash);
    this.#counts.delete(hash);
    this.#counts.set(hash, count);
    const oldest = this.#counts.keys().next();
    if (this.#counts.size > mostRemembered && oldest.done !== true) this.#counts.delete(oldest.value);
  }

  #firstOf(involved: InvolvedObject, event: EventText, at: { name: string; namespace: string }): KubeObject {
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

  /** Without a `count` it stays. */
  #repeat(at: { name: string; namespace: string }, count?: number): Promise<KubeObject> {
    const lastTimestamp = new Date(this.#clock.nowMs()).toISOString().replace(/\.\d+Z$/, 'Z');
    return this.#cluster.patch({ apiVersion: 'v1', kind: 'Event', ...at }, { ...defined({ count }), lastTimestamp });
  }

  /**
   * The count of an Event by another process. After a start most texts of a namespace are such Events: one list replaces a read of each, and a failed attempt to
   * create it. An Event that is not listed shows its count when it is repeated.
   */
  async #countOf(at: { name: string; namespace: string }, hash: string): Promise<number> {
    await keptIn(this.#lists, at.namespace, () => this.#find(at.namespace));
    return this.#found.get(hash) ?? Number((await this.#repeat(at)).count ?? 1);
  }

  async #find(namespace: string): Promise<void> {
    const { component, signal } = this.#options;
    const note = ({ apiVersion, kind, metadata: { name }, count = 1 }: KubeObject): KubeObject => {
      if (this.#found.size < mostRemembered) this.#found.set(name.slice(name.lastIndexOf('.') + 1), Number(count));
      return { apiVersion, kind, metadata: { name } };
    };
    const selection = { fieldSelector: `source=${component}`, slim: note, ...defined({ signal }) };
    try {
      await this.#cluster.list({ apiVersion: 'v1', kind: 'Event', namespace }, selection);
    } catch (error) {
      if (!isTransient(error)) return; // such as a role of an earlier version
      this.#lists.delete(namespace);
      throw error;
    }
  }

  /** `isAgain`: an earlier attempt might have been stored without an answer. */
  async #send(involved: InvolvedObject, event: EventText, isAgain: boolean): Promise<void> {
    const namespace = involved.metadata.namespace ?? 'default'; // where cluster-scoped objects have theirs
    const hash = hashOf(involved, event);
    const at = { namespace, name: `${involved.metadata.name.slice(0, longestName - hash.length - 1)}.${hash}` };
    const known = this.#counts.get(hash) ?? this.#found.get(hash);
    if (known !== undefined) {
      const count = isAgain ? known : known + 1;
      this.#remember(hash, count); // before the answer, so that two at once do not write the same count
      try {
        await this.#repeat(at, count);
        return;
      } catch (error) {
        if (!isNotFound(error)) throw error; // the server removes Events after about an hour: begin again
      }
    }
    try {
      this.#remember(hash, 1);
      await this.#cluster.create(this.#firstOf(involved, event, at));
    } catch (error) {
      this.#counts.delete(hash);
      if (!isAlreadyExists(error)) throw error;
      const count = (await this.#countOf(at, hash)) + (isAgain ? 0 : 1);
      this.#remember(hash, count);
      if (!isAgain) await this.#repeat(at, count);
    }
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
