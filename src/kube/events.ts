import { createHash } from 'node:crypto';
import type { KubeObject } from '../api/kube-object.ts';
import type { Clock } from './clock.ts';
import { systemClock } from './clock.ts';
import type { Cluster } from './cluster.ts';
import { isAlreadyExists, isNotFound } from './errors.ts';

/** What an Event speaks of; a KubeObject fits. */
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

export interface EventRecorder {
  /** Never rejects: an Event lost is no reason to stop a release. A repeat raises the count of the first. */
  record(involved: InvolvedObject, event: EventText): Promise<void>;
}

export interface EventRecorderOptions {
  component: string;
  /** This process, usually the pod's name. */
  instance: string;
  clock?: Clock;
  onError?(error: unknown): void;
}

/** The API server refuses longer messages (core/v1 validation). */
const longestMessage = 1024;
const longestName = 253;
const mostRemembered = 1000;

/** core/v1 Events in the object's namespace. Their name follows from what they say, so that replicas and restarts count on. */
export function eventRecorder(cluster: Cluster, options: EventRecorderOptions): EventRecorder {
  const clock = options.clock ?? systemClock;
  const counts = new Map<string, number>();

  function remember(key: string, count: number): void {
    counts.delete(key);
    counts.set(key, count);
    const oldest = counts.keys().next();
    if (counts.size > mostRemembered && oldest.done !== true) counts.delete(oldest.value);
  }

  function firstOf(involved: InvolvedObject, event: EventText, at: { name: string; namespace: string }): KubeObject {
    const now = new Date(clock.nowMs()).toISOString().replace(/\.\d+Z$/, 'Z');
    const { name, namespace, uid, resourceVersion } = involved.metadata;
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: at,
      involvedObject: { apiVersion: involved.apiVersion, kind: involved.kind, name, namespace, uid, resourceVersion },
      ...event,
      source: { component: options.component, host: options.instance },
      reportingComponent: options.component,
      reportingInstance: options.instance,
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
    };
  }

  async function repeat(at: { name: string; namespace: string }, count: number): Promise<void> {
    const lastTimestamp = new Date(clock.nowMs()).toISOString().replace(/\.\d+Z$/, 'Z');
    await cluster.patch({ apiVersion: 'v1', kind: 'Event', ...at }, { count, lastTimestamp });
  }

  async function send(involved: InvolvedObject, event: EventText): Promise<void> {
    const namespace = involved.metadata.namespace ?? 'default'; // where cluster-scoped objects have theirs
    const hash = hashOf(involved, event);
    const at = { namespace, name: `${involved.metadata.name.slice(0, longestName - hash.length - 1)}.${hash}` };
    const key = `${namespace}/${at.name}`;
    const known = counts.get(key);
    if (known !== undefined) {
      remember(key, known + 1); // before the answer, so that two at once do not write the same count
      try {
        await repeat(at, known + 1);
        return;
      } catch (error) {
        if (!isNotFound(error)) throw error; // the server removes Events after about an hour: begin again
      }
    }
    try {
      remember(key, 1);
      await cluster.create(firstOf(involved, event, at));
    } catch (error) {
      if (!isAlreadyExists(error)) {
        counts.delete(key);
        throw error;
      }
      const found = await cluster.get({ apiVersion: 'v1', kind: 'Event', ...at });
      const count = Number(found?.count ?? 1) + 1;
      remember(key, count);
      await repeat(at, count);
    }
  }

  return {
    async record(involved, event) {
      try {
        await send(involved, { ...event, message: shortened(event.message) });
      } catch (error) {
        options.onError?.(error);
      }
    },
  };
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
