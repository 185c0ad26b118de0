import { refOf } from '../api/kube-object.ts';
import type { Clock } from '../base/clock.ts';
import { systemClock } from '../base/clock.ts';
import { ApiRequests, manager, NO_NAME, selectionQuery, shaped } from './api-requests.ts';
import type { Cluster, KindRef, Selection, WatchHandle, WatchHandler } from './cluster.ts';
import type { Connection } from './connect.ts';
import { createDiscovery, type Discovery } from './discovery.ts';
import { apiErrorOf, isConflict, isNotFound } from './errors.ts';
import type { KubeCluster } from './kube-cluster.ts';
import { PRIORITIES, type Priority } from './priority.ts';
import { createTransport, type Transport, type TransportOptions } from './transport.ts';
import { defaultWatchSettings, startWatch, type WatchSettings } from './watch.ts';

/** `requestTimeoutMs` is 10 000 by default, and holds for each request but watches, which have their own; `burst` is as many as `qps`. */
export interface ClusterOptions extends Partial<TransportOptions> {
  log?: ClusterLog;
  /** 0 ≤ x < 1. */
  random?: () => number;
  watch?: Partial<WatchSettings>;
}

export interface ClusterLog {
  warn(fields: object, message: string): void;
  debug(fields: object, message: string): void;
}

const metadataOne = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json;q=0.9';

/** The Kubernetes API over HTTP/1.1, on raw JSON: unknown fields pass through unchanged. */
export function createCluster(connection: Connection, options: ClusterOptions = {}): KubeCluster {
  const clock = options.clock ?? systemClock;
  const transport = createTransport(connection, { ...options, clock, requestTimeoutMs: options.requestTimeoutMs ?? 10_000 });
  const discovery = createDiscovery(async (path) => {
    const answer = await transport.send({ verb: 'get', resource: 'discovery', method: 'GET', path });
    if (answer.status === 404) return undefined;
    if (answer.status >= 400) throw apiErrorOf(`GET ${path}`, answer.status, answer.text, answer.retryAfterMs);
    return JSON.parse(answer.text);
  });
  const parts = { clock, transport, discovery, watches: new Set<{ stop(): void }>() };
  const clusters = new Map(
    PRIORITIES.map((priority): [Priority, Cluster] => [
      priority,
      clusterOver(connection, options, { ...parts, transport: atPriority(transport, priority) }),
    ]),
  );
  const cluster = clusterOver(connection, options, parts);
  return { ...cluster, at: (priority) => clusters.get(priority) ?? cluster };
}

const atPriority = (transport: Transport, priority: Priority): Transport => ({
  aheadMs: () => transport.aheadMs(),
  settled: () => transport.settled(),
  close: () => transport.close(),
  send: (call) => transport.send({ ...call, priority }),
  stream: (call) => transport.stream({ ...call, priority }),
});

interface ClusterParts {
  clock: Clock;
  transport: Transport;
  discovery: Discovery;
  watches: Set<{ stop(): void }>;
}

function clusterOver(connection: Connection, options: ClusterOptions, parts: ClusterParts): KubeCluster {
  const { transport, discovery, watches } = parts;
  const requests = new ApiRequests(transport, discovery, connection.namespace);
  const cluster: KubeCluster = {
    async get(ref, { signal, subresource } = {}) {
      // An API server answers 400 or 404, depending on the rest of the path.
      if (NO_NAME.test(ref.name)) return undefined;
      try {
        const resource = await requests.resourceOf(ref.apiVersion, ref.kind, signal);
        const path = requests.pathOfRef(resource, ref, subresource);
        return JSON.parse(
          await requests.call({ verb: 'get', resource: resource.plural, subresource, method: 'GET', path, signal }, ref.apiVersion),
        );
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    },
    list: (kind, selection = {}) => requests.list(kind, selection),
    create: (object, options) => requests.write(refOf(object), { verb: 'create', method: 'POST', body: object }, options),
    replace: (object, options) => requests.write(refOf(object), { verb: 'update', method: 'PUT', body: object }, options),
    apply(object, { fieldManager = manager, force = true, ...options } = {}) {
      const { managedFields: _, ...metadata } = object.metadata; // the server refuses an apply that carries it
      const body = { ...object, metadata };
      const query = { fieldManager, force: String(force) };
      return requests.write(
        refOf(object),
        { verb: 'apply', method: 'PATCH', contentType: 'application/apply-patch+yaml', body, query },
        options,
      );
    },
    patch(ref, patch, options) {
      const contentType = Array.isArray(patch) ? 'application/json-patch+json' : 'application/merge-patch+json';
      return requests.write(ref, { verb: 'patch', method: 'PATCH', contentType, body: patch }, options);
    },
    async delete(ref, { signal, propagationPolicy, uid } = {}) {
      const options = { ...(propagationPolicy && { propagationPolicy }), ...(uid && { preconditions: { uid } }) };
      try {
        await requests.remove(ref, { apiVersion: 'v1', kind: 'DeleteOptions', ...options }, signal);
      } catch (error) {
        if (uid === undefined || !isConflict(error) || (await cluster.get(ref, signal && { signal }))?.metadata.uid === uid) throw error;
      }
    },
    forceDelete: (ref) =>
      requests.remove(ref, { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0, propagationPolicy: 'Background' }),
    async bind(pod, node) {
      const metadata = { name: pod.name, ...(pod.namespace === undefined ? {} : { namespace: pod.namespace }) };
      const body = { apiVersion: 'v1', kind: 'Binding', metadata, target: { apiVersion: 'v1', kind: 'Node', name: node } };
      await requests.write({ ...pod, apiVersion: 'v1', kind: 'Pod' }, { verb: 'create', method: 'POST', body }, { subresource: 'binding' });
    },
    async resourceOf(apiVersion, kind) {
      const { plural } = await requests.resourceOf(apiVersion, kind);
      return { group: apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '', plural };
    },
    async raw(method, path, body) {
      const text = await requests.call({ verb: 'raw', resource: 'raw', method: method.toUpperCase(), path, body });
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
    watch: (kind, handler, selection = {}) => watchOver(requests, options, parts, { kind, handler, selection }),
    aheadMs: () => transport.aheadMs(),
    settled: () => transport.settled(),
    close() {
      for (const watch of [...watches]) watch.stop();
      transport.close();
    },
  };
  return cluster;
}

function watchOver(
  requests: ApiRequests,
  options: ClusterOptions,
  { clock, transport, discovery, watches }: ClusterParts,
  { kind, handler, selection }: { kind: KindRef; handler: WatchHandler; selection: Selection & { metadataOnly?: boolean } },
): WatchHandle {
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
    list: (signal) => requests.list(kind, { ...selection, signal, slim: handler.slim }),
    shape: (object) => shaped(object, kind, metadataOnly),
    async open(resourceVersion, timeoutSeconds, signal) {
      const resource = await requests.resourceOf(kind.apiVersion, kind.kind, signal);
      const query = selectionQuery(selection);
      query.set('watch', 'true');
      if (settings.silentMs !== undefined) query.set('allowWatchBookmarks', 'true');
      query.set('timeoutSeconds', String(timeoutSeconds));
      query.set('resourceVersion', resourceVersion);
      const path = `${requests.pathOf(resource, kind.namespace)}?${query}`;
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
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text; // `/readyz` and `/metrics` answer with plain text
  }
}
