import type { IncomingMessage, ServerResponse } from 'node:http';
import { parse } from 'yaml';
import type { KubeObject } from '../../api/kube-object.ts';
import type { Api, DeleteOptions, PatchType, WriteContext } from './api.ts';
import { aggregated, apiVersions, groupList, oneGroup, openApiRoot, openApiV3, resourceList, versionInfo } from './discovery.ts';
import { clone, isRecord, type Json, type JsonRecord } from './json.ts';
import { jsonPatch, mergePatch } from './patch.ts';
import { type ApiPath, isTrue, parsePath, verbOf } from './request.ts';
import { apiVersionOf, type Resource } from './resources.ts';
import { parseFieldSelector, parseLabelSelector } from './selectors.ts';
import { badRequest, expired, methodNotAllowed, pathNotFound, Refusal, unsupportedMediaType } from './status.ts';
import { partialMetadata, table } from './table.ts';
import { fromStored } from './versions.ts';
import { serveWatch } from './watch.ts';

export interface HandlerOptions {
  now(): number;
  /** Milliseconds for a watch that names no timeout. */
  watchTimeoutMs(): number;
}

export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  url: URL;
  /** For the counts: filled while the request is handled. */
  verb: string;
  resource: string;
}

const discoveryType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** Answers one request. */
export async function handle(api: Api, options: HandlerOptions, exchange: Exchange): Promise<void> {
  const { request, url } = exchange;
  const path = parsePath(url.pathname);
  if (path === undefined) return answerPlain(api, exchange);
  const resource = api.resources.find(path.group, path.version, path.plural);
  exchange.verb = verbOf(request.method ?? 'GET', path, url.searchParams);
  exchange.resource = path.subresource === '' ? path.plural : `${path.plural}/${path.subresource}`;
  if (resource === undefined || (path.namespace !== '' && !resource.namespaced)) throw pathNotFound();
  const body = await readBody(request);
  return new ResourceRequest(api, options, exchange, path, resource, body).run();
}

function answerPlain(api: Api, { request, response, url }: Exchange) {
  const all = api.resources.all();
  const path = url.pathname.replace(/\/$/, '');
  const wantsAggregated = String(request.headers.accept ?? '').includes('as=APIGroupDiscoveryList');
  if (['/livez', '/readyz', '/healthz'].includes(path))
    return void response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end('ok');
  if ((path === '/api' || path === '/apis') && wantsAggregated)
    return sendJson(response, 200, aggregated(all, path === '/api'), discoveryType);
  const parts = path.split('/').slice(1);
  const found =
    path === '/api'
      ? apiVersions()
      : path === '/apis'
        ? groupList(all)
        : path === '/version'
          ? versionInfo()
          : path === '/openapi/v3'
            ? openApiRoot(all)
            : path === '/openapi/v2'
              ? { swagger: '2.0', info: { title: 'Kubernetes', version: versionInfo().gitVersion }, paths: {}, definitions: {} }
              : path.startsWith('/openapi/v3/')
                ? openApiV3(all, path.slice('/openapi/v3/'.length))
                : parts[0] === 'api'
                  ? resourceList(all, '', parts[1] ?? '')
                  : parts[0] === 'apis' && parts.length === 2
                    ? oneGroup(all, parts[1] ?? '')
                    : parts[0] === 'apis'
                      ? resourceList(all, parts[1] ?? '', parts[2] ?? '')
                      : undefined;
  if (found === undefined) throw pathNotFound();
  sendJson(response, 200, found);
}

export function sendJson(response: ServerResponse, code: number, body: JsonRecord, type = 'application/json'): void {
  if (response.headersSent) return void response.end();
  response.writeHead(code, { 'content-type': type, 'cache-control': 'no-cache, private' }).end(`${JSON.stringify(body)}\n`);
}

async function readBody(request: IncomingMessage): Promise<Json> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  if (text.trim() === '') return undefined;
  const type = String(request.headers['content-type'] ?? 'application/json');
  if (type.includes('protobuf') || type.includes('cbor')) throw unsupportedMediaType('application/json, application/yaml');
  try {
    return type.includes('yaml') ? parse(text) : JSON.parse(text);
  } catch (cause) {
    throw badRequest(`the object provided is unrecognized: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}

const patchTypes: Record<string, PatchType> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
};

class ResourceRequest {
  readonly #api: Api;
  readonly #options: HandlerOptions;
  readonly #exchange: Exchange;
  readonly #path: ApiPath;
  readonly #resource: Resource;
  readonly #body: Json;

  constructor(api: Api, options: HandlerOptions, exchange: Exchange, path: ApiPath, resource: Resource, body: Json) {
    this.#api = api;
    this.#options = options;
    this.#exchange = exchange;
    this.#path = path;
    this.#resource = resource;
    this.#body = body;
  }

  get #query(): URLSearchParams {
    return this.#exchange.url.searchParams;
  }

  run() {
    const { verb } = this.#exchange;
    const { name, namespace, subresource } = this.#path;
    const resource = this.#resource;
    if (resource.virtual) return this.#review(verb);
    if (subresource !== '') return this.#runSubresource(verb);
    if (resource.namespaced && namespace === '' && !['list', 'watch', 'deletecollection'].includes(verb)) throw methodNotAllowed();
    if (verb === 'list') return this.#list();
    if (verb === 'watch') return this.#watch();
    if (verb === 'get') return this.#object(200, this.#api.get(resource, namespace, name));
    if (verb === 'create' && name === '') return this.#object(201, this.#api.create(resource, namespace, this.#body, this.#context()));
    if (verb === 'update' && name !== '') return this.#update();
    if (verb === 'patch' && name !== '') return this.#patch();
    if (verb === 'delete') return this.#delete();
    if (verb === 'deletecollection') return this.#deleteCollection();
    throw methodNotAllowed();
  }

  #review(verb: string) {
    if (verb !== 'create') throw methodNotAllowed();
    sendJson(this.#exchange.response, 201, {
      ...this.#body,
      kind: this.#resource.kind,
      apiVersion: apiVersionOf(this.#resource),
      metadata: {},
      status: { allowed: true },
    });
  }

  #context(subresource = ''): WriteContext {
    const agent = String(this.#exchange.request.headers['user-agent'] ?? 'unknown');
    const manager =
      this.#query.get('fieldManager') ??
      (this.#exchange.request.headers['content-type']?.includes('apply-patch') === true ? '' : (agent.split('/')[0] ?? 'unknown'));
    const warnings: string[] = [];
    return {
      manager: manager.slice(0, 128),
      subresource,
      dryRun: this.#query.get('dryRun') === 'All',
      fieldValidation: this.#query.get('fieldValidation') || 'Warn',
      force: isTrue(this.#query.get('force')),
      warn: (text) => {
        warnings.push(`299 - ${JSON.stringify(text)}`);
        this.#exchange.response.setHeader('warning', warnings);
      },
    };
  }

  #update(): void {
    const { namespace, name } = this.#path;
    this.#object(200, this.#api.update(this.#resource, namespace, name, this.#body, this.#context()));
  }

  #patchType(): PatchType {
    const type = patchTypes[String(this.#exchange.request.headers['content-type']).split(';')[0] ?? ''];
    if (type === undefined) throw unsupportedMediaType(Object.keys(patchTypes).join(', '));
    return type;
  }

  #patch(subresource = ''): void {
    const { namespace, name } = this.#path;
    const type = this.#patchType();
    const before = this.#api.store.get(this.#resource.storeKey, `${namespace}/${name}`);
    const object = this.#api.patch(this.#resource, namespace, name, type, this.#body, this.#context(subresource));
    this.#object(before === undefined ? 201 : 200, object);
  }

  #runSubresource(verb: string) {
    const { namespace, name, subresource } = this.#path;
    const resource = this.#resource;
    if (subresource === 'status' && resource.status) {
      if (verb === 'get') return this.#object(200, this.#api.get(resource, namespace, name));
      if (verb === 'patch') return this.#patch('status');
      if (verb === 'update') return this.#object(200, this.#api.update(resource, namespace, name, this.#body, this.#context('status')));
      throw methodNotAllowed();
    }
    if (subresource === 'scale' && resource.scale !== undefined) return this.#scale(verb);
    if (resource.storeKey === '/pods') return this.#podSubresource(verb);
    if (resource.storeKey === '/namespaces' && subresource === 'finalize' && verb === 'update') return this.#update();
    throw pathNotFound();
  }

  #scale(verb: string) {
    const { namespace, name } = this.#path;
    const live = this.#api.get(this.#resource, namespace, name);
    const scale = this.#api.readScale(this.#resource, live);
    if (verb === 'get') return sendJson(this.#exchange.response, 200, scale);
    if (verb !== 'patch' && verb !== 'update') throw methodNotAllowed();
    const type = verb === 'patch' ? this.#patchType() : undefined;
    const wanted = type === undefined ? this.#body : type === 'json' ? jsonPatch(scale, this.#body) : mergePatch(scale, this.#body);
    sendJson(this.#exchange.response, 200, this.#api.writeScale(this.#resource, live, wanted, this.#context('scale')));
  }

  #podSubresource(verb: string) {
    const { namespace, name, subresource } = this.#path;
    const pod = this.#api.get(this.#resource, namespace, name);
    if (subresource === 'log' && verb === 'get')
      return void this.#exchange.response.writeHead(200, { 'content-type': 'text/plain' }).end('');
    if (verb !== 'create') throw methodNotAllowed();
    if (subresource === 'eviction') {
      this.#api.delete(this.#resource, namespace, name, this.#body?.deleteOptions ?? {});
      return this.#success(201);
    }
    if (subresource !== 'binding') throw pathNotFound();
    if (pod.spec?.nodeName)
      throw new Refusal(
        409,
        'Conflict',
        `Operation cannot be fulfilled on pods/binding "${name}": pod ${name} is already assigned to node ${JSON.stringify(pod.spec.nodeName)}`,
        { name, kind: 'pods/binding' },
      );
    const bound = clone(pod);
    bound.spec.nodeName = this.#body?.target?.name;
    const conditions = (bound.status?.conditions ?? []).filter((condition: Json) => condition.type !== 'PodScheduled');
    bound.status = {
      ...bound.status,
      conditions: [...conditions, { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: this.#api.time() }],
    };
    this.#api.store.put(this.#resource.storeKey, bound);
    this.#success(201);
  }

  #success(code: number, details?: JsonRecord): void {
    sendJson(this.#exchange.response, code, {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      ...(details === undefined ? { code } : { details }),
    });
  }

  #deleteOptions(): DeleteOptions {
    const body = isRecord(this.#body) ? this.#body : {};
    const policy = this.#query.get('propagationPolicy');
    const grace = this.#query.get('gracePeriodSeconds');
    return {
      ...body,
      ...(policy === null ? {} : { propagationPolicy: policy }),
      ...(grace === null ? {} : { gracePeriodSeconds: Number(grace) }),
      dryRun: this.#query.get('dryRun') === 'All' || (Array.isArray(body.dryRun) && body.dryRun.includes('All')),
    };
  }

  #delete() {
    const { namespace, name } = this.#path;
    const { object, gone } = this.#api.delete(this.#resource, namespace, name, this.#deleteOptions());
    if (!gone || this.#resource.storeKey === '/pods') return this.#object(200, object);
    const { group, plural } = this.#resource;
    this.#success(200, { name, ...(group === '' ? {} : { group }), kind: plural, uid: object.metadata.uid });
  }

  #deleteCollection(): void {
    const { namespace } = this.#path;
    const matches = this.#selection();
    const items = this.#api.store.list(this.#resource.storeKey).map(([, object]) => object);
    const chosen = items.filter((object) => (namespace === '' || object.metadata.namespace === namespace) && matches(object));
    const options = this.#deleteOptions();
    const objects = chosen.map(
      (object) => this.#api.delete(this.#resource, object.metadata.namespace ?? '', object.metadata.name, options).object,
    );
    this.#send(200, this.#listOf(objects, { resourceVersion: String(this.#api.store.version) }));
  }

  #selection(): (object: KubeObject) => boolean {
    const labels = parseLabelSelector(this.#query.get('labelSelector') ?? '');
    const fields = parseFieldSelector(this.#query.get('fieldSelector') ?? '', this.#resource.storeKey, this.#resource.selectable);
    const { name } = this.#path;
    return (object) => (name === '' || object.metadata.name === name) && labels(object.metadata.labels ?? {}) && fields(object);
  }

  #list(): void {
    const { namespace } = this.#path;
    const { version, after } = this.#position();
    const matches = this.#selection();
    const limit = Number(this.#query.get('limit') ?? 0);
    const found = this.#api.store
      .list(this.#resource.storeKey, version)
      .filter(([key, object]) => key > after && (namespace === '' || object.metadata.namespace === namespace) && matches(object));
    const page = limit > 0 ? found.slice(0, limit) : found;
    const last = page.at(-1)?.[0];
    const more = last !== undefined && page.length < found.length;
    const token = (start: string): string => Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: version, start })).toString('base64url');
    const metadata: JsonRecord = {
      resourceVersion: String(version),
      ...(more ? { continue: token(last) } : {}),
      ...(more && !this.#query.get('labelSelector') && !this.#query.get('fieldSelector')
        ? { remainingItemCount: found.length - page.length }
        : {}),
    };
    this.#send(
      200,
      this.#listOf(
        page.map(([, object]) => fromStored(object, this.#resource)),
        metadata,
      ),
    );
  }

  /** The version to list at, and the key after which to start. */
  #position(): { version: number; after: string } {
    const token = this.#query.get('continue');
    const asked = this.#query.get('resourceVersion') ?? '';
    const current = this.#api.store.version;
    if (token) {
      const { rv, start } = readToken(token);
      this.#requireKnown(rv);
      return { version: rv, after: start };
    }
    if (asked !== '' && !/^\d+$/.test(asked)) throw badRequest(`invalid resource version: ${asked}`);
    if (Number(asked) > current)
      throw new Refusal(504, 'Timeout', `Too large resource version: ${asked}, current: ${current}`, {
        retryAfterSeconds: 1,
        causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version', field: '' }],
      });
    if (this.#query.get('resourceVersionMatch') !== 'Exact') return { version: current, after: '' };
    this.#requireKnown(Number(asked));
    return { version: Number(asked), after: '' };
  }

  #requireKnown(version: number): void {
    try {
      this.#api.store.since(version);
    } catch (cause) {
      if (!(cause instanceof Refusal)) throw cause;
      throw expired('The provided continue parameter is too old to display a consistent list result.');
    }
  }

  #watch(): void {
    const resourceVersion = this.#query.get('resourceVersion') ?? '';
    if (resourceVersion !== '' && !/^\d+$/.test(resourceVersion)) throw badRequest(`invalid resource version: ${resourceVersion}`);
    if (this.#query.get('sendInitialEvents') !== null)
      throw new Refusal(
        422,
        'Invalid',
        'ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled',
        {
          group: 'meta.k8s.io',
          kind: 'ListOptions',
          causes: [
            {
              reason: 'FieldValueForbidden',
              message: 'Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled',
              field: 'sendInitialEvents',
            },
          ],
        },
      );
    const seconds = Number(this.#query.get('timeoutSeconds') ?? 0);
    serveWatch(this.#api, this.#exchange.response, {
      resource: this.#resource,
      namespace: this.#path.namespace,
      matches: this.#selection(),
      resourceVersion,
      bookmarks: isTrue(this.#query.get('allowWatchBookmarks')),
      timeoutMs: seconds > 0 ? seconds * 1000 : this.#options.watchTimeoutMs(),
      encode: (object) => this.#encode(object),
    });
  }

  get #form(): 'Table' | 'PartialObjectMetadata' | 'object' {
    for (const type of String(this.#exchange.request.headers.accept ?? '').split(',')) {
      if (/;\s*as=Table\b/.test(type)) return 'Table';
      if (/;\s*as=PartialObjectMetadata/.test(type)) return 'PartialObjectMetadata';
      if (/^\s*(application\/json|\*\/\*)/.test(type)) return 'object';
    }
    return 'object';
  }

  #encode(object: KubeObject): JsonRecord {
    const form = this.#form;
    if (form === 'Table')
      return table(
        this.#resource,
        [object],
        { resourceVersion: object.metadata.resourceVersion },
        this.#query.get('includeObject') ?? 'Metadata',
        this.#options.now(),
      );
    return form === 'object' ? object : partialMetadata(object);
  }

  #object(code: number, object: KubeObject): void {
    this.#send(code, this.#encode(object));
  }

  #listOf(objects: readonly KubeObject[], metadata: JsonRecord): JsonRecord {
    const form = this.#form;
    if (form === 'Table')
      return table(this.#resource, objects, metadata, this.#query.get('includeObject') ?? 'Metadata', this.#options.now());
    if (form === 'object') return { kind: this.#resource.listKind, apiVersion: apiVersionOf(this.#resource), metadata, items: objects };
    return { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1', metadata, items: objects.map(partialMetadata) };
  }

  #send(code: number, body: JsonRecord): void {
    sendJson(this.#exchange.response, code, body);
  }
}

function readToken(token: string): { rv: number; start: string } {
  try {
    const { rv, start } = JSON.parse(Buffer.from(token, 'base64url').toString()) as { rv: number; start: string };
    return { rv, start };
  } catch (cause) {
    throw badRequest(`continue key is not valid: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}
