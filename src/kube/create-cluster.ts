import type { KubeObject, ObjectRef } from '../api/kube-object.ts';
import { refOf } from '../api/kube-object.ts';
import type { ApiOutage } from './api-outage.ts';
import type { Clock } from './clock.ts';
import { systemClock } from './clock.ts';
import type { KindRef, Selection, WatchHandler } from './cluster.ts';
import type { Connection } from './connect.ts';
import { createDiscovery, type Discovery, notServed, type Resource } from './discovery.ts';
import { ApiError, apiErrorOf, isGone, isNotFound, namesAnObject } from './errors.ts';
import type { KubeCluster } from './kube-cluster.ts';
import { type ApiCall, createTransport, type SeenRequest, type Transport, type TransportOptions } from './transport.ts';
import { defaultWatchSettings, startWatch, type WatchSettings } from './watch.ts';

export interface ClusterOptions {
  /** Deadline of each request with its retries, after the rate limit let it out. Watches have their own. Default 10 000. */
  requestTimeoutMs?: number;
  /** Requests a second, in the long run; absent: no limit. */
  qps?: number;
  /** Requests at once before `qps` holds. Default: as many as `qps`. */
  burst?: number;
  onRequest?: (request: SeenRequest) => void;
  /** Called right before the bytes of a call go out, after every wait; a throw refuses it. For the leader's write deadline (I9). */
  beforeSend?: TransportOptions['beforeSend'];
  /** Learns whether the API server answers. */
  outage?: ApiOutage;
  log?: ClusterLog;
  clock?: Clock;
  /** 0 ≤ x < 1. */
  random?: () => number;
  watch?: Partial<WatchSettings>;
}

export interface ClusterLog {
  warn(fields: object, message: string): void;
  debug(fields: object, message: string): void;
}

const manager = 'serin';
const pageSize = 500;
const metadataList = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json;q=0.9';
const metadataOne = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json;q=0.9';

const GROUP_VERSION = /^(?:[a-z0-9][a-z0-9.-]*\/)?[a-z0-9]+$/i;

/** The Kubernetes API over HTTP/1.1, on raw JSON: unknown fields pass through unchanged. */
export function createCluster(connection: Connection, options: ClusterOptions = {}): KubeCluster {
  const clock = options.clock ?? systemClock;
  const transport = createTransport(connection, {
    requestTimeoutMs: options.requestTimeoutMs ?? 10_000,
    qps: options.qps,
    burst: options.burst,
    clock,
    onRequest: options.onRequest,
    beforeSend: options.beforeSend,
    outage: options.outage,
  });
  const discovery = createDiscovery(async (path, signal) => {
    const answer = await transport.send({ verb: 'get', resource: 'discovery', method: 'GET', path, signal });
    if (answer.status === 404) return undefined;
    if (answer.status >= 400) throw apiErrorOf(`GET ${path}`, answer.status, answer.text, answer.retryAfterMs);
    return JSON.parse(answer.text);
  });
  const parts = { clock, transport, discovery, watches: new Set<{ stop(): void }>() };
  const ofUpkeep: Transport = {
    ...transport,
    send: (call) => transport.send({ ...call, isUpkeep: true }),
    stream: (call) => transport.stream({ ...call, isUpkeep: true }),
  };
  return { ...clusterOver(connection, options, parts), upkeep: clusterOver(connection, options, { ...parts, transport: ofUpkeep }) };
}

interface Parts {
  clock: Clock;
  transport: Transport;
  discovery: Discovery;
  watches: Set<{ stop(): void }>;
}

function clusterOver(connection: Connection, options: ClusterOptions, { clock, transport, discovery, watches }: Parts): KubeCluster {
  async function resourceOf(apiVersion: string, kind: string, signal?: AbortSignal): Promise<Resource> {
    const resource = GROUP_VERSION.test(apiVersion) ? await discovery.find(apiVersion, kind, signal) : undefined;
    if (resource === undefined) throw notServed(apiVersion, kind);
    return resource;
  }

  /** Sends, and throws an error answer as an ApiError. A 404 that names no object means that the kind may have gone. */
  async function call(request: ApiCall, apiVersion?: string): Promise<string> {
    const answer = await transport.send(request);
    if (answer.status < 400) return answer.text;
    if (answer.status === 404 && apiVersion !== undefined && !namesAnObject(answer.text)) discovery.forget(apiVersion);
    throw apiErrorOf(`${request.method} ${request.path.split('?')[0]}`, answer.status, answer.text, answer.retryAfterMs);
  }

  function pathOf(resource: Resource, namespace: string | undefined, name?: string, subresource?: string): string {
    const inNamespace = resource.namespaced && namespace !== undefined ? `/namespaces/${segment(namespace)}` : '';
    const one = name === undefined ? '' : `/${segment(name)}`;
    return `${resource.root}${inNamespace}/${resource.plural}${one}${subresource === undefined ? '' : `/${subresource}`}`;
  }

  /** One object's address: a namespaced kind without a namespace is in the connection's. */
  const pathOfRef = (resource: Resource, ref: ObjectRef, subresource?: string): string =>
    pathOf(resource, ref.namespace ?? connection.namespace, ref.name, subresource);

  type Write = Pick<ApiCall, 'verb' | 'method' | 'contentType' | 'body'> & { query?: Record<string, string> };
  async function write(
    ref: ObjectRef,
    sent: Write,
    options: { signal?: AbortSignal | undefined; subresource?: string | undefined; dryRun?: boolean } = {},
  ): Promise<KubeObject> {
    const { signal, subresource, dryRun = false } = options;
    const { query, ...request } = sent;
    const resource = await resourceOf(ref.apiVersion, ref.kind, signal);
    const isPostToCollection = sent.method === 'POST' && subresource === undefined;
    const path = isPostToCollection ? pathOf(resource, ref.namespace ?? connection.namespace) : pathOfRef(resource, ref, subresource);
    const parameters = new URLSearchParams({ fieldManager: manager, ...query, ...(dryRun && { dryRun: 'All' }) });
    return JSON.parse(
      await call({ ...request, resource: resource.plural, subresource, path: `${path}?${parameters}`, signal }, ref.apiVersion),
    );
  }

  async function remove(ref: ObjectRef, body: object, signal?: AbortSignal): Promise<void> {
    try {
      const resource = await resourceOf(ref.apiVersion, ref.kind, signal);
      const path = pathOfRef(resource, ref);
      await call({ verb: 'delete', resource: resource.plural, method: 'DELETE', path, body, signal }, ref.apiVersion);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  async function listOnce(kind: KindRef, selection: ListSelection) {
    const resource = await resourceOf(kind.apiVersion, kind.kind, selection.signal);
    const items: KubeObject[] = [];
    let next: string | undefined;
    let resourceVersion = '';
    do {
      const query = selectionQuery(selection);
      query.set('limit', String(pageSize));
      if (next !== undefined) query.set('continue', next);
      const text = await call(
        {
          verb: 'list',
          resource: resource.plural,
          method: 'GET',
          path: `${pathOf(resource, kind.namespace)}?${query}`,
          signal: selection.signal,
          ...(selection.metadataOnly === true ? { accept: metadataList } : {}),
        },
        kind.apiVersion,
      );
      const page: { metadata?: { resourceVersion?: string; continue?: string }; items?: KubeObject[] | null } = JSON.parse(text);
      for (const item of page.items ?? []) {
        const whole = shaped(item, kind, selection.metadataOnly);
        items.push(selection.slim?.(whole) ?? whole);
      }
      resourceVersion = page.metadata?.resourceVersion ?? '';
      next = page.metadata?.continue === '' ? undefined : page.metadata?.continue;
    } while (next !== undefined);
    return { items, resourceVersion };
  }

  async function listAll(kind: KindRef, selection: ListSelection) {
    try {
      return await listOnce(kind, selection);
    } catch (error) {
      if (!isGone(error)) throw error;
      return await listOnce(kind, selection); // a page token grew too old between pages: once more from the start
    }
  }

  const cluster: KubeCluster = {
    async get(ref, { signal, subresource } = {}) {
      // An API server answers 400 or 404, by what else there is in the path.
      if (NO_NAME.test(ref.name)) return undefined;
      try {
        const resource = await resourceOf(ref.apiVersion, ref.kind, signal);
        const path = pathOfRef(resource, ref, subresource);
        return JSON.parse(await call({ verb: 'get', resource: resource.plural, subresource, method: 'GET', path, signal }, ref.apiVersion));
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    },
    list: (kind, selection = {}) => listAll(kind, selection),
    create: (object, options) => write(refOf(object), { verb: 'create', method: 'POST', body: object }, options),
    replace: (object, options) => write(refOf(object), { verb: 'update', method: 'PUT', body: object }, options),
    apply(object, { fieldManager = manager, force = true, ...options } = {}) {
      const { managedFields: _, ...metadata } = object.metadata; // the server refuses an apply that carries it
      const body = { ...object, metadata };
      const query = { fieldManager, force: String(force) };
      return write(refOf(object), { verb: 'apply', method: 'PATCH', contentType: 'application/apply-patch+yaml', body, query }, options);
    },
    patch(ref, patch, options) {
      const contentType = Array.isArray(patch) ? 'application/json-patch+json' : 'application/merge-patch+json';
      return write(ref, { verb: 'patch', method: 'PATCH', contentType, body: patch }, options);
    },
    delete: (ref, { signal, propagationPolicy } = {}) =>
      remove(ref, { apiVersion: 'v1', kind: 'DeleteOptions', ...(propagationPolicy === undefined ? {} : { propagationPolicy }) }, signal),
    forceDelete: (ref) => remove(ref, { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0, propagationPolicy: 'Background' }),
    async bind(pod, node) {
      const metadata = { name: pod.name, ...(pod.namespace === undefined ? {} : { namespace: pod.namespace }) };
      const body = { apiVersion: 'v1', kind: 'Binding', metadata, target: { apiVersion: 'v1', kind: 'Node', name: node } };
      await write({ ...pod, apiVersion: 'v1', kind: 'Pod' }, { verb: 'create', method: 'POST', body }, { subresource: 'binding' });
    },
    async raw(method, path, body) {
      const text = await call({ verb: 'raw', resource: 'raw', method: method.toUpperCase(), path, body });
      return jsonOrText(text);
    },
    async ask(method, path, { body, signal } = {}) {
      const { status, text } = await transport.send({
        verb: method === 'GET' ? 'get' : 'raw',
        resource: 'raw',
        method,
        path,
        body,
        signal,
      });
      return { status, body: text };
    },
    watch(kind, handler, selection = {}) {
      const { metadataOnly } = selection;
      const settings = { ...defaultWatchSettings, ...options.watch };
      const watch = startWatch({
        handler,
        clock,
        random: options.random ?? Math.random,
        settings,
        log: options.log,
        onHeard: options.outage?.answered,
        what: `${kind.apiVersion} ${kind.kind}${kind.namespace === undefined ? '' : ` in ${kind.namespace}`}`,
        list: (signal) => listAll(kind, { ...selection, signal, slim: handler.slim }),
        shape: (object) => shaped(object, kind, metadataOnly),
        async open(resourceVersion, timeoutSeconds, signal) {
          const resource = await resourceOf(kind.apiVersion, kind.kind, signal);
          const query = selectionQuery(selection);
          query.set('watch', 'true');
          if (settings.silentMs !== undefined) query.set('allowWatchBookmarks', 'true');
          query.set('timeoutSeconds', String(timeoutSeconds));
          query.set('resourceVersion', resourceVersion);
          const path = `${pathOf(resource, kind.namespace)}?${query}`;
          const accept = metadataOnly === true ? metadataOne : 'application/json';
          try {
            return await transport.stream({ verb: 'watch', resource: resource.plural, method: 'GET', path, accept, signal });
          } catch (error) {
            if (isNotFound(error)) discovery.forget(kind.apiVersion);
            throw error;
          }
        },
      });
      const handle = {
        synced: watch.synced,
        ageMs: () => watch.ageMs(),
        get restarts() {
          return watch.restarts;
        },
        stop() {
          watches.delete(handle);
          watch.stop();
        },
      };
      watches.add(handle);
      return handle;
    },
    close() {
      for (const watch of [...watches]) watch.stop();
      transport.close();
    },
  };
  return cluster;
}

function selectionQuery({ labelSelector, fieldSelector }: Selection): URLSearchParams {
  return new URLSearchParams({
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
  });
}

type ListSelection = Selection & { signal?: AbortSignal; metadataOnly?: boolean; slim?: WatchHandler['slim'] | undefined };

/** Items of a list come without apiVersion and kind, metadata-only ones with those of PartialObjectMetadata: both get their own. */
function shaped(object: KubeObject, { apiVersion, kind }: KindRef, metadataOnly = false): KubeObject {
  const metadata = object.metadata;
  return metadataOnly ? { apiVersion, kind, metadata } : { ...object, apiVersion, kind, metadata };
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text; // `/readyz` and `/metrics` answer with plain text
  }
}

/** In no name of an object. Source: `IsValidPathSegmentName` of k8s.io/apimachinery. */
const NO_NAME = /[/%]/;

/** Path segments that would lead to another object: dots alone. */
function segment(name: string): string {
  if (name !== '.' && name !== '..' && !NO_NAME.test(name)) return encodeURIComponent(name);
  throw new ApiError(`"${name}" cannot be the name or namespace of an object: correct it`, { status: 422, reason: 'Invalid' });
}
