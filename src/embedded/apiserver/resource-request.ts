import type { KubeObject } from '../../api/kube-object.ts';
import type { Clock } from '../../base/clock.ts';
import type { Api } from './api.ts';
import { type Exchange, sendJson } from './exchange.ts';
import { isRecord, type Json, type JsonObject } from './json.ts';
import { listPage, selection } from './list.ts';
import { jsonPatch, mergePatch } from './patch.ts';
import { podSubresource } from './pod-subresources.ts';
import { type Representation, representationOf } from './representation.ts';
import { type ApiPath, isTrue } from './request.ts';
import { apiVersionOf, type Resource } from './resources.ts';
import { scaleOf } from './scale.ts';
import { badRequest, forbiddenValue, invalid, methodNotAllowed, pathNotFound, unsupportedMediaType } from './status.ts';
import { serveWatch } from './watch.ts';
import type { DeleteOptions, PatchType, WriteContext } from './write-context.ts';

export interface HandlerOptions {
  clock: Clock;
  /** Milliseconds for a watch that names no timeout. */
  watchTimeoutMs(): number;
}

const patchTypes: Record<string, PatchType> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
};

/** A request for objects of one resource. */
export class ResourceRequest {
  readonly #api: Api;
  readonly #options: HandlerOptions;
  readonly #exchange: Exchange;
  readonly #path: ApiPath;
  readonly #resource: Resource;
  readonly #body: Json;
  readonly #representation: Representation;

  constructor(api: Api, options: HandlerOptions, exchange: Exchange, path: ApiPath, resource: Resource, body: Json) {
    this.#api = api;
    this.#options = options;
    this.#exchange = exchange;
    this.#path = path;
    this.#resource = resource;
    this.#body = body;
    this.#representation = representationOf(resource, String(exchange.request.headers.accept ?? ''), this.#query, options.clock.nowMs);
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
    const { kind } = this.#resource;
    this.#send(201, { ...this.#body, kind, apiVersion: apiVersionOf(this.#resource), metadata: {}, status: { allowed: true } });
  }

  #context(subresource = ''): WriteContext {
    const agent = String(this.#exchange.request.headers['user-agent'] ?? 'unknown');
    const manager =
      this.#query.get('fieldManager') ??
      (this.#exchange.request.headers['content-type']?.includes('apply-patch') === true ? '' : (agent.split('/')[0] ?? 'unknown'));
    const warnings: string[] = [];
    return {
      manager: manager.slice(0, 128),
      fieldManager: this.#query.get('fieldManager') ?? '',
      userAgent: agent,
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

  #update(subresource = ''): void {
    const { namespace, name } = this.#path;
    this.#object(200, this.#api.update(this.#resource, namespace, name, this.#body, this.#context(subresource)));
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
      if (verb === 'update') return this.#update('status');
      throw methodNotAllowed();
    }
    if (subresource === 'scale' && resource.scale !== undefined) return this.#scale(verb);
    if (resource.storeKey === '/pods') {
      podSubresource(this.#api, resource, this.#path, verb, this.#body, this.#query.get('dryRun') === 'All');
      return this.#success(201, { code: 201 });
    }
    if (resource.storeKey === '/namespaces' && subresource === 'finalize' && verb === 'update') return this.#update();
    throw pathNotFound();
  }

  #scale(verb: string) {
    const { namespace, name } = this.#path;
    const live = this.#api.get(this.#resource, namespace, name);
    const scale = scaleOf(this.#resource, live);
    if (verb === 'get') return this.#send(200, scale);
    if (verb !== 'patch' && verb !== 'update') throw methodNotAllowed();
    const type = verb === 'patch' ? this.#patchType() : undefined;
    const wanted = type === undefined ? this.#body : type === 'json' ? jsonPatch(scale, this.#body) : mergePatch(scale, this.#body);
    this.#send(200, this.#api.writeScale(this.#resource, live, wanted, this.#context('scale')));
  }

  #success(code: number, more: JsonObject): void {
    this.#send(code, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', ...more });
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
    this.#success(200, { details: { name, ...(group !== '' && { group }), kind: plural, uid: object.metadata.uid } });
  }

  #deleteCollection(): void {
    const matches = selection(this.#resource, this.#path, this.#query);
    const items = this.#api.store.list(this.#resource.storeKey).map(([, object]) => object);
    const options = this.#deleteOptions();
    const objects = items
      .filter(matches)
      .map(({ metadata }) => this.#api.delete(this.#resource, metadata.namespace ?? '', metadata.name, options).object);
    this.#send(200, this.#representation.list(objects, { resourceVersion: String(this.#api.store.version) }));
  }

  #list(): void {
    const { objects, metadata } = listPage(this.#api.store, this.#resource, this.#path, this.#query);
    this.#send(200, this.#representation.list(objects, metadata));
  }

  #watch(): void {
    const resourceVersion = this.#query.get('resourceVersion') ?? '';
    if (resourceVersion !== '' && !/^\d+$/.test(resourceVersion)) throw badRequest(`invalid resource version: ${resourceVersion}`);
    if (this.#query.get('sendInitialEvents') !== null)
      throw invalid({ kind: 'ListOptions', group: 'meta.k8s.io' }, '', [
        forbiddenValue('sendInitialEvents', 'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled'),
      ]);
    const seconds = Number(this.#query.get('timeoutSeconds') ?? 0);
    serveWatch(this.#api, this.#exchange.response, {
      resource: this.#resource,
      matches: selection(this.#resource, this.#path, this.#query),
      resourceVersion,
      bookmarks: isTrue(this.#query.get('allowWatchBookmarks')),
      timeoutMs: seconds > 0 ? seconds * 1000 : this.#options.watchTimeoutMs(),
      clock: this.#options.clock,
      encode: (object) => this.#representation.one(object),
    });
  }

  #object(code: number, object: KubeObject): void {
    this.#send(code, this.#representation.one(object));
  }

  #send(code: number, body: JsonObject): void {
    sendJson(this.#exchange.response, code, body);
  }
}
