import { asCustomResourceDefinition } from '../../api/kinds/custom-resource-definition.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { keptIn } from '../../base/once.ts';
import type { Api } from './api.ts';
import { clone, isEqual } from './json.ts';
import { type Resource, resourcesOf } from './resources.ts';
import { StatusError } from './status.ts';
import type { StoreChange } from './store.ts';
import { internalWrite } from './write-context.ts';

const foreground = 'foregroundDeletion';
const cleanup = 'customresourcecleanup.apiextensions.k8s.io';

/** Garbage collection, namespace deletion and CRD clean-up, as in kube-controller-manager after a deletion. */
export class Collectors {
  readonly #api: Api;
  readonly #unsubscribe: () => void;
  readonly #byUid = new Map<string | undefined, KubeObject>();
  #scheduled: NodeJS.Immediate | undefined;

  constructor(api: Api) {
    this.#api = api;
    for (const object of this.#all()) this.#byUid.set(object.metadata.uid, object);
    this.#unsubscribe = api.store.subscribe((change) => {
      const { type, object } = change;
      if (type === 'DELETED') this.#byUid.delete(object.metadata.uid);
      else this.#byUid.set(object.metadata.uid, object);
      if (this.#mayCollect(change)) this.#scheduled ??= setImmediate(() => this.#run());
    });
  }

  stop(): void {
    this.#unsubscribe();
    clearImmediate(this.#scheduled);
  }

  #run(): void {
    this.#scheduled = undefined;
    const objects = this.#all();
    const dependents = new Map<string, KubeObject[]>();
    for (const object of objects)
      for (const { uid } of object.metadata.ownerReferences ?? []) {
        keptIn(dependents, uid, () => []).push(object);
      }
    for (const object of objects) this.#collect(object, dependents.get(object.metadata.uid ?? '') ?? []);
    for (const object of objects) if (object.metadata.deletionTimestamp !== undefined) this.#finish(object);
  }

  #all(): KubeObject[] {
    return this.#api.store.storeKeys().flatMap((key) => this.#api.store.list(key).map(([, object]) => object));
  }

  #collect(object: KubeObject, dependents: readonly KubeObject[]): void {
    const { finalizers = [], ownerReferences: owners = [], deletionTimestamp } = object.metadata;
    if (deletionTimestamp !== undefined) {
      if (finalizers.includes('orphan')) this.#orphan(object, dependents);
      else if (finalizers.includes(foreground)) this.#foreground(object, dependents);
    } else if (owners.length > 0 && !owners.some(({ uid }) => this.#ownerOf(object, uid))) this.#delete(object, 'Background');
  }

  #orphan(owner: KubeObject, dependents: readonly KubeObject[]): void {
    for (const dependent of dependents) {
      this.#edit(dependent, (copy) => {
        const rest = (copy.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== owner.metadata.uid);
        if (rest.length === 0) delete copy.metadata.ownerReferences;
        else copy.metadata.ownerReferences = rest;
      });
    }
    this.#dropFinalizer(owner, 'orphan');
  }

  #foreground(owner: KubeObject, dependents: readonly KubeObject[]): void {
    for (const dependent of dependents) if (dependent.metadata.deletionTimestamp === undefined) this.#delete(dependent, 'Foreground');
    const blocking = dependents.filter((dependent) =>
      dependent.metadata.ownerReferences?.some(({ uid, blockOwnerDeletion }) => uid === owner.metadata.uid && blockOwnerDeletion === true),
    );
    if (blocking.length === 0) this.#dropFinalizer(owner, foreground);
  }

  #finish(object: KubeObject): void {
    if (object.kind === 'Namespace' && object.apiVersion === 'v1') this.#emptyNamespace(object);
    if (object.kind === 'CustomResourceDefinition' && object.metadata.finalizers?.includes(cleanup)) this.#emptyDefinition(object);
  }

  #emptyNamespace(namespace: KubeObject): void {
    const inside = this.#all().filter((object) => object.metadata.namespace === namespace.metadata.name);
    for (const object of inside) if (object.metadata.deletionTimestamp === undefined) this.#delete(object, 'Background');
    if (inside.length > 0) return;
    this.#edit(namespace, (copy) => {
      copy.spec = { ...(copy.spec as object | undefined), finalizers: [] };
    });
    this.#delete(namespace, 'Background');
  }

  #emptyDefinition(crd: KubeObject): void {
    const { group, names } = asCustomResourceDefinition(crd).spec;
    const storeKey = `${group}/${names.plural}`;
    const instances = this.#api.store.list(storeKey).map(([, object]) => object);
    for (const object of instances) if (object.metadata.deletionTimestamp === undefined) this.#delete(object, 'Background');
    if (instances.length === 0 && resourcesOf(crd).length > 0) this.#dropFinalizer(crd, cleanup);
  }

  #delete(object: KubeObject, propagationPolicy: string): void {
    this.#try(object, (resource, namespace, name) => this.#api.delete(resource, namespace, name, { propagationPolicy }));
  }

  #dropFinalizer(object: KubeObject, finalizer: string): void {
    this.#edit(object, (copy) => {
      copy.metadata.finalizers = (copy.metadata.finalizers ?? []).filter((name) => name !== finalizer);
    });
  }

  #edit(object: KubeObject, change: (copy: KubeObject) => void): void {
    this.#try(object, (resource, namespace, name) => {
      const copy = clone(this.#api.get(resource, namespace, name));
      change(copy);
      this.#api.update(resource, namespace, name, copy, internalWrite);
    });
  }

  /** A conflict or an object already gone means that another writer was faster: its change wakes us again. */
  #try({ apiVersion, kind, metadata }: KubeObject, action: (resource: Resource, namespace: string, name: string) => void): void {
    const resource = this.#api.resources.byKind(apiVersion, kind);
    try {
      if (resource !== undefined) action(resource, metadata.namespace ?? '', metadata.name);
    } catch (cause) {
      if (!(cause instanceof StatusError)) throw cause;
    }
  }

  /** Most changes neither end an object nor remove the owner of another, and a scan of all objects costs much. */
  #mayCollect({ type, object, before }: StoreChange): boolean {
    const { deletionTimestamp, finalizers = [], ownerReferences } = object.metadata;
    if (type === 'DELETED') return true;
    if (deletionTimestamp !== undefined && (hasEnd.has(object.kind) || finalizers.includes('orphan') || finalizers.includes(foreground)))
      return true;
    if (ownerReferences === undefined || isEqual(ownerReferences, before?.metadata.ownerReferences)) return false;
    const owners = ownerReferences.map(({ uid }) => this.#ownerOf(object, uid));
    return before !== undefined || !owners.some(Boolean) || owners.some((owner) => owner?.metadata.deletionTimestamp !== undefined);
  }

  /** One of another namespace does not count: that reference is as good as absent. */
  #ownerOf(object: KubeObject, uid: string): KubeObject | undefined {
    const owner = this.#byUid.get(uid);
    return owner?.metadata.namespace === undefined || owner.metadata.namespace === object.metadata.namespace ? owner : undefined;
  }
}

/** Kinds that end only once all that belongs to them has. */
const hasEnd = new Set(['Namespace', 'CustomResourceDefinition']);
