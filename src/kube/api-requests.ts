import type { IncomingMessage } from 'node:http';
import type { KubeObject, ObjectRef } from '../api/kube-object.ts';
import { defined } from '../base/defined.ts';
import type { ApiCall } from './api-call.ts';
import type { KindRef, Selection, WatchHandler } from './cluster.ts';
import { type DiscoveredResource, type Discovery, notServed } from './discovery.ts';
import { eachChunk } from './each-chunk.ts';
import { ApiError, apiErrorOf, isGone, isNotFound, namesAnObject } from './errors.ts';
import { createListItems } from './list-items.ts';
import type { Transport } from './transport.ts';

export const manager = 'serin';
const pageSize = 500;
const metadataList = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json;q=0.9';

const GROUP_VERSION = /^(?:[a-z0-9][a-z0-9.-]*\/)?[a-z0-9]+$/i;

export type ListSelection = Selection & { signal?: AbortSignal; metadataOnly?: boolean; slim?: WatchHandler['slim'] | undefined };
export type WriteRequest = Pick<ApiCall, 'verb' | 'method' | 'contentType' | 'body'> & { query?: Record<string, string> };

/** Requests for objects by kind: finds the resource, builds the path, and turns an error answer into an ApiError. */
export class ApiRequests {
  readonly #transport: Transport;
  readonly #discovery: Discovery;
  /** Namespace of objects that name none. */
  readonly #namespace: string;

  constructor(transport: Transport, discovery: Discovery, namespace: string) {
    this.#transport = transport;
    this.#discovery = discovery;
    this.#namespace = namespace;
  }

  async resourceOf(apiVersion: string, kind: string, signal?: AbortSignal): Promise<DiscoveredResource> {
    const resource = GROUP_VERSION.test(apiVersion) ? await this.#discovery.find(apiVersion, kind, signal) : undefined;
    if (resource === undefined) throw notServed(apiVersion, kind);
    return resource;
  }

  /** Sends, and throws an error answer as an ApiError. A 404 that names no object can mean that the kind has gone. */
  async call(request: ApiCall, apiVersion?: string): Promise<string> {
    const answer = await this.#transport.send(request);
    if (answer.status < 400) return answer.text;
    if (answer.status === 404 && apiVersion !== undefined && !namesAnObject(answer.text)) this.#discovery.forget(apiVersion);
    throw apiErrorOf(`${request.method} ${request.path.split('?')[0]}`, answer.status, answer.text, answer.retryAfterMs);
  }

  pathOf(resource: DiscoveredResource, namespace: string | undefined, name?: string, subresource?: string): string {
    const inNamespace = resource.namespaced && namespace !== undefined ? `/namespaces/${segment(namespace)}` : '';
    const one = name === undefined ? '' : `/${segment(name)}`;
    return `${resource.root}${inNamespace}/${resource.plural}${one}${subresource === undefined ? '' : `/${subresource}`}`;
  }

  /** One object's address: a namespaced kind without a namespace is in the connection's. */
  pathOfRef(resource: DiscoveredResource, ref: ObjectRef, subresource?: string): string {
    return this.pathOf(resource, ref.namespace ?? this.#namespace, ref.name, subresource);
  }

  async write(
    ref: ObjectRef,
    sent: WriteRequest,
    options: { signal?: AbortSignal | undefined; subresource?: string | undefined; dryRun?: boolean } = {},
  ): Promise<KubeObject> {
    const { signal, subresource, dryRun = false } = options;
    const { query, ...request } = sent;
    const resource = await this.resourceOf(ref.apiVersion, ref.kind, signal);
    const isPostToCollection = sent.method === 'POST' && subresource === undefined;
    const path = isPostToCollection ? this.pathOf(resource, ref.namespace ?? this.#namespace) : this.pathOfRef(resource, ref, subresource);
    const parameters = new URLSearchParams({ fieldManager: manager, ...query, ...(dryRun && { dryRun: 'All' }) });
    return JSON.parse(
      await this.call({ ...request, resource: resource.plural, subresource, path: `${path}?${parameters}`, signal }, ref.apiVersion),
    );
  }

  async remove(ref: ObjectRef, body: object, signal?: AbortSignal): Promise<void> {
    try {
      const resource = await this.resourceOf(ref.apiVersion, ref.kind, signal);
      const path = this.pathOfRef(resource, ref);
      await this.call({ verb: 'delete', resource: resource.plural, method: 'DELETE', path, body, signal }, ref.apiVersion);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  async #listOnce(kind: KindRef, selection: ListSelection) {
    const resource = await this.resourceOf(kind.apiVersion, kind.kind, selection.signal);
    const items: KubeObject[] = [];
    let next: string | undefined;
    let resourceVersion = '';
    do {
      const query = selectionQuery(selection);
      query.set('limit', String(pageSize));
      if (next !== undefined) query.set('continue', next);
      const take = (item: KubeObject) => {
        const whole = shaped(item, kind, selection.metadataOnly);
        items.push(selection.slim?.(whole) ?? whole);
      };
      const rest = await this.call(
        {
          verb: 'list',
          resource: resource.plural,
          method: 'GET',
          path: `${this.pathOf(resource, kind.namespace)}?${query}`,
          signal: selection.signal,
          read: (response) => readList(response, take, selection.slim !== undefined),
          ...(selection.metadataOnly === true ? { accept: metadataList } : {}),
        },
        kind.apiVersion,
      );
      const page: { metadata?: { resourceVersion?: string; continue?: string } } = JSON.parse(rest);
      resourceVersion = page.metadata?.resourceVersion ?? '';
      next = page.metadata?.continue === '' ? undefined : page.metadata?.continue;
    } while (next !== undefined);
    return { items, resourceVersion };
  }

  async list(kind: KindRef, selection: ListSelection) {
    try {
      return await this.#listOnce(kind, selection);
    } catch (error) {
      if (!isGone(error)) throw error;
      return await this.#listOnce(kind, selection); // a page token grew too old between pages: once more from the start
    }
  }
}

/** Hands out the items of a page, and returns the rest of its text. */
async function readList(response: IncomingMessage, onItem: (item: KubeObject) => void, cutsFields: boolean): Promise<string> {
  const list = createListItems((item) => onItem(item as KubeObject), { cutsFields });
  await eachChunk(response, (chunk) => list.push(chunk));
  return list.rest();
}

export function selectionQuery({ labelSelector, fieldSelector }: Selection): URLSearchParams {
  return new URLSearchParams(defined({ labelSelector, fieldSelector }));
}

/** Items of a list have no apiVersion and kind, and metadata-only items have those of PartialObjectMetadata: both get their own. */
export function shaped(object: KubeObject, { apiVersion, kind }: KindRef, metadataOnly = false): KubeObject {
  const metadata = object.metadata;
  return metadataOnly ? { apiVersion, kind, metadata } : { ...object, apiVersion, kind, metadata };
}

/** Characters that no name of an object has. Source: `IsValidPathSegmentName` of k8s.io/apimachinery. */
export const NO_NAME = /[/%]/;

/** Path segments that would lead to another object: only dots. */
function segment(name: string): string {
  if (name !== '.' && name !== '..' && !NO_NAME.test(name)) return encodeURIComponent(name);
  throw new ApiError(`"${name}" cannot be the name or namespace of an object: correct it`, { status: 422, reason: 'Invalid' });
}
