import { crds } from '../../../src/api/crds.ts';
import type { KubeObject, ObjectRef } from '../../../src/api/kube-object.ts';
import { refOf } from '../../../src/api/kube-object.ts';
import { Api } from '../../../src/embedded/apiserver/api.ts';
import { Collectors } from '../../../src/embedded/apiserver/collectors.ts';
import type { Resource } from '../../../src/embedded/apiserver/resources.ts';
import { StatusError } from '../../../src/embedded/apiserver/status.ts';
import { toStored } from '../../../src/embedded/apiserver/versions.ts';
import { internalWrite } from '../../../src/embedded/apiserver/write-context.ts';
import { routingCrds } from '../../../src/embedded/routing-crds.ts';
import { ApiError } from '../../../src/kube/errors.ts';
import type { HandClock } from '../clock.ts';

/** Changes that a watch may lag behind; no life here makes so many. */
const WATCH_WINDOW = 10_000;
/** Made once: every lab has them. */
const DEFINITIONS = [...crds(), ...routingCrds()];

/** The embedded API server without HTTP and in virtual time: its rules, its versions and its garbage collection, a moment each. */
export class ModelServer {
  readonly api: Api;
  readonly clock: HandClock;
  readonly #collectors: Collectors;

  constructor(clock: HandClock, watchWindow = WATCH_WINDOW) {
    this.clock = clock;
    this.api = new Api({ clock, random: Math.random }, watchWindow);
    this.#collectors = new Collectors(this.api);
    for (const crd of DEFINITIONS) this.create(crd);
  }

  resource(apiVersion: string, kind: string): Resource {
    const found = this.api.resources.byKind(apiVersion, kind);
    if (found === undefined) throw new ApiError(`${apiVersion} ${kind} is not served`, { status: 404, reason: 'KindNotServed' });
    return found;
  }

  serves({ apiVersion, kind }: Pick<ObjectRef, 'apiVersion' | 'kind'>): boolean {
    return this.api.resources.byKind(apiVersion, kind) !== undefined;
  }

  find({ apiVersion, kind, name, namespace = '' }: ObjectRef): KubeObject | undefined {
    const resource = this.resource(apiVersion, kind);
    return this.api.store.get(resource.storeKey, `${namespace}/${name}`) && this.api.get(resource, namespace, name);
  }

  /** Action of a user, at once. */
  create(object: KubeObject): KubeObject {
    return this.api.create(this.resource(object.apiVersion, object.kind), object.metadata.namespace ?? '', object, internalWrite);
  }

  /** Restores a stored object, with its uid, its generation and its status. */
  restore(object: KubeObject): void {
    const resource = this.resource(object.apiVersion, object.kind);
    this.api.store.put(resource.storeKey, toStored(structuredClone(object), resource));
  }

  /** A PUT with the field manager of another writer, also for an object that does not exist. */
  putAs(manager: string, object: KubeObject): KubeObject {
    const resource = this.resource(object.apiVersion, object.kind);
    const { namespace = '', name } = object.metadata;
    const context = { ...internalWrite, manager };
    const wanted = overTheWire(object);
    if (this.find(refOf(object))) return this.api.update(resource, namespace, name, wanted, context);
    return this.api.create(resource, namespace, wanted, context);
  }

  replace(object: KubeObject): KubeObject {
    const { namespace = '', name } = object.metadata;
    return this.api.update(this.resource(object.apiVersion, object.kind), namespace, name, overTheWire(object), internalWrite);
  }

  patch(ref: ObjectRef, patch: object, subresource = ''): KubeObject {
    const resource = this.resource(ref.apiVersion, ref.kind);
    return this.api.patch(resource, ref.namespace ?? '', ref.name, 'merge', patch as never, { ...internalWrite, subresource });
  }

  delete({ apiVersion, kind, name, namespace = '' }: ObjectRef): void {
    if (this.find({ apiVersion, kind, name, namespace })) this.api.delete(this.resource(apiVersion, kind), namespace, name);
  }

  stop(): void {
    this.#collectors.stop();
  }
}

/** Fields without a value do not travel. */
function overTheWire(object: KubeObject): KubeObject {
  return JSON.parse(JSON.stringify(object));
}

/** The error that a client of the real server would get. */
export function asApiError(error: unknown): unknown {
  return error instanceof StatusError ? new ApiError(error.message, { status: error.code, reason: error.reason }) : error;
}
