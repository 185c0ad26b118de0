import type { ServerResponse } from 'node:http';
import type { KubeObject } from '../../api/kube-object.ts';
import { type Clock, every } from '../../base/clock.ts';
import type { Api } from './api.ts';
import { textOf } from './exchange.ts';
import type { JsonObject } from './json.ts';
import { apiVersionOf, type Resource } from './resources.ts';
import { StatusError } from './status.ts';
import type { StoreChange } from './store.ts';
import { fromStored } from './versions.ts';

interface WatchRequest {
  resource: Resource;
  /** Its namespace, name and selectors. */
  matches: (object: KubeObject) => boolean;
  /** Absent, empty and `0` start with the current state. */
  resourceVersion: string;
  bookmarks: boolean;
  timeoutMs: number;
  clock: Clock;
  /** One object, as the Accept header wants it. */
  encode(object: KubeObject): JsonObject;
}

/** Source: the API server's cacher sends a bookmark about once a minute. */
const bookmarkEveryMs = 60_000;

/** Streams changes until the timeout, the client's leaving, or a slow reader. */
export function serveWatch(api: Api, response: ServerResponse, request: WatchRequest): void {
  const { resource, matches: seen } = request;
  const send = (type: string, object: JsonObject): void => void response.write(`{"type":"${type}","object":${textOf(object)}}\n`);
  const onChange = (change: StoreChange): void => {
    if (change.storeKey !== resource.storeKey) return;
    const type = visibleType(change, seen);
    if (type === undefined) return;
    // An object that leaves the selection is shown in its previous form, with the version at which it left.
    const left = type === 'DELETED' && change.type === 'MODIFIED' ? change.before : undefined;
    const object = left ? { ...left, metadata: { ...left.metadata, resourceVersion: String(change.version) } } : change.object;
    send(type, request.encode(fromStored(object, resource)));
  };
  const bookmark = (): void => {
    const metadata = { resourceVersion: String(api.store.version) };
    send('BOOKMARK', { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata });
  };
  response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-cache, private' });
  response.flushHeaders();
  try {
    if (request.resourceVersion === '' || request.resourceVersion === '0') {
      for (const [, object] of api.store.list(resource.storeKey))
        if (seen(object)) send('ADDED', request.encode(fromStored(object, resource)));
    } else for (const change of api.store.since(Number(request.resourceVersion))) onChange(change);
  } catch (cause) {
    if (!(cause instanceof StatusError)) throw cause;
    send('ERROR', cause.toStatus());
    response.end();
    return;
  }
  const unsubscribe = api.store.subscribe(onChange);
  const stopMarking = request.bookmarks ? every(request.clock, bookmarkEveryMs, bookmark) : undefined;
  const stopEnding = request.clock.setTimer(request.timeoutMs, () => {
    if (request.bookmarks) bookmark();
    response.end();
  });
  response.on('close', () => {
    unsubscribe();
    stopMarking?.();
    stopEnding();
  });
}

/** The event of a change behind a selector: entering it is ADDED, leaving it DELETED. */
function visibleType(change: StoreChange, seen: (object: KubeObject) => boolean): StoreChange['type'] | undefined {
  const before = change.before !== undefined && seen(change.before);
  const after = change.type !== 'DELETED' && seen(change.object);
  if (after) return before ? 'MODIFIED' : 'ADDED';
  return before ? 'DELETED' : undefined;
}
