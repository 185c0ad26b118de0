import type { KubeObject } from '../../api/kube-object.ts';
import type { JsonObject } from './json.ts';
import type { ApiPath } from './request.ts';
import type { Resource } from './resources.ts';
import { parseFieldSelector, parseSelectorQuery } from './selectors.ts';
import { badRequest, expired, StatusError } from './status.ts';
import type { Store } from './store.ts';
import { fromStored } from './versions.ts';

interface Page {
  objects: KubeObject[];
  metadata: JsonObject;
}

/** One page of a list, at the version and from the key in the query. */
export function listPage(store: Store, resource: Resource, path: ApiPath, query: URLSearchParams): Page {
  const { version, after } = position(store, query);
  const matches = selection(resource, path, query);
  const limit = Number(query.get('limit') ?? 0);
  const found = store.list(resource.storeKey, version).filter(([key, object]) => key > after && matches(object));
  const page = limit > 0 ? found.slice(0, limit) : found;
  const last = page.at(-1)?.[0];
  const more = last !== undefined && page.length < found.length;
  const selects = query.get('labelSelector') || query.get('fieldSelector');
  return {
    objects: page.map(([, object]) => fromStored(object, resource)),
    metadata: {
      resourceVersion: String(version),
      ...(more ? { continue: continueToken(version, last) } : {}),
      ...(more && !selects ? { remainingItemCount: found.length - page.length } : {}),
    },
  };
}

/** Objects of a resource that match the path and the selectors of the query. */
export function selection(resource: Resource, { namespace, name }: ApiPath, query: URLSearchParams): (object: KubeObject) => boolean {
  const labels = parseSelectorQuery(query.get('labelSelector') ?? '');
  const fields = parseFieldSelector(query.get('fieldSelector') ?? '', resource.storeKey, resource.selectable);
  return (object) =>
    (namespace === '' || object.metadata.namespace === namespace) &&
    (name === '' || object.metadata.name === name) &&
    labels(object.metadata.labels ?? {}) &&
    fields(object);
}

/** The version to list at, and the key after which to start. */
function position(store: Store, query: URLSearchParams): { version: number; after: string } {
  const token = query.get('continue');
  const asked = query.get('resourceVersion') ?? '';
  const current = store.version;
  if (token) {
    const { rv, start } = readToken(token);
    requireKnown(store, rv);
    return { version: rv, after: start };
  }
  if (asked !== '' && !/^\d+$/.test(asked)) throw badRequest(`invalid resource version: ${asked}`);
  if (Number(asked) > current)
    throw new StatusError(504, 'Timeout', `Too large resource version: ${asked}, current: ${current}`, {
      retryAfterSeconds: 1,
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version', field: '' }],
    });
  if (query.get('resourceVersionMatch') !== 'Exact') return { version: current, after: '' };
  requireKnown(store, Number(asked));
  return { version: Number(asked), after: '' };
}

function requireKnown(store: Store, version: number): void {
  try {
    store.since(version);
  } catch (cause) {
    if (!(cause instanceof StatusError)) throw cause;
    throw expired('The provided continue parameter is too old to display a consistent list result.');
  }
}

const continueToken = (version: number, start: string): string =>
  Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: version, start })).toString('base64url');

function readToken(token: string): { rv: number; start: string } {
  try {
    const { rv, start } = JSON.parse(Buffer.from(token, 'base64url').toString()) as { rv: number; start: string };
    return { rv, start };
  } catch (cause) {
    throw badRequest(`continue key is not valid: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}
