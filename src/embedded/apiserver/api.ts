import { asCustomResourceDefinition } from '../../api/kinds/custom-resource-definition.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { secondsText, type World } from '../world.ts';
import { checkApplication, keepPart } from './application.ts';
import { CelRules } from './cel.ts';
import { completeObject } from './complete.ts';
import { checkMutated, decodeObject } from './decode.ts';
import { checkPreconditions, deletionFinalizers, graceSeconds, isFinished } from './deletion.ts';
import { generatedName, randomUid } from './generate-name.ts';
import { clone, isEqual, isRecord, type Json, type JsonObject, type RawObject } from './json.ts';
import { applyConfiguration, recordUpdate, withoutServerFields } from './managed-fields.ts';
import { MutatingPolicies, mutated } from './mutating-policies.ts';
import { jsonPatch, mergePatch, strategicMerge } from './patch.ts';
import { apiVersionOf, type Resource, Resources, resourcesOf } from './resources.ts';
import { scaleOf, withScale } from './scale.ts';
import { changesContent, keepServerOwned, withoutAllocated } from './server-owned.ts';
import { ServiceAddresses } from './service-addresses.ts';
import {
  alreadyExists,
  badRequest,
  conflict,
  forbidden,
  invalid,
  invalidValue,
  modified,
  notFound,
  required,
  unsupportedMediaType,
} from './status.ts';
import { objectKey, Store } from './store.ts';
import { fromStored, toStored } from './versions.ts';
import { type ApiHooks, type DeleteOptions, internalWrite, type PatchType, type WriteContext } from './write-context.ts';

/** Kinds with a status whose spec is not counted. */
const withoutGeneration = new Set(['/nodes', '/services', '/namespaces', 'autoscaling/horizontalpodautoscalers']);
/** Kinds without a status whose spec is counted. */
const countedAlone = new Set([
  'networking.k8s.io/networkpolicies',
  'admissionregistration.k8s.io/mutatingadmissionpolicies',
  'admissionregistration.k8s.io/mutatingadmissionpolicybindings',
]);

/** Operations on objects, for requests and for the server's own collectors alike. */
export class Api {
  readonly store: Store;
  readonly resources = new Resources();
  readonly #world: Pick<World, 'clock' | 'random'>;
  readonly #hooks: ApiHooks;
  readonly #policies: MutatingPolicies;
  readonly #parts = { cel: new CelRules(), addresses: new ServiceAddresses(), time: () => this.time() };

  constructor(world: Pick<World, 'clock' | 'random'>, watchWindow: number, hooks: ApiHooks = {}) {
    this.#world = world;
    this.#hooks = hooks;
    this.store = new Store(watchWindow);
    this.#policies = new MutatingPolicies(this.store);
  }

  time(): string {
    return secondsText(this.#world);
  }

  get(resource: Resource, namespace: string, name: string): KubeObject {
    const found = this.store.get(resource.storeKey, `${namespace}/${name}`);
    if (found === undefined) throw notFound(resource, name);
    return fromStored(found, resource);
  }

  create(resource: Resource, namespace: string, body: KubeObject, context: WriteContext): KubeObject {
    const object = decodeObject(resource, namespace, body, context);
    const { metadata } = object;
    if (metadata.resourceVersion !== undefined && metadata.resourceVersion !== '')
      throw badRequest('resourceVersion should not be set on objects to be created');
    if (!metadata.name && typeof metadata.generateName === 'string' && metadata.generateName !== '')
      metadata.name = generatedName(metadata.generateName, this.#world.random);
    if (!metadata.name) throw invalid(resource, '', [required('metadata.name', 'name or generateName is required')]);
    if (this.store.get(resource.storeKey, objectKey(object)) !== undefined) throw alreadyExists(resource, metadata.name);
    this.#checkNamespace(resource, namespace, metadata.name);
    if (resource.storeKey === '/pods') this.#checkServiceAccount(resource, object);
    const refusal = this.#hooks.admit?.(object);
    if (refusal !== undefined) throw forbidden(resource, metadata.name, refusal);
    delete metadata.deletionTimestamp;
    delete metadata.deletionGracePeriodSeconds;
    delete metadata.managedFields;
    metadata.uid = randomUid(this.#world.random);
    metadata.creationTimestamp = this.time();
    if (resource.status) delete object.status;
    if (isCounted(resource)) metadata.generation = 1;
    else delete metadata.generation;
    const sent = clone(object);
    completeObject(resource, object, undefined, this.#parts);
    const owned = withoutAllocated(resource, object, sent);
    recordUpdate(undefined, owned, resource.schema, this.#writer(resource, context));
    object.metadata.managedFields = owned.metadata.managedFields;
    const { fieldManager, subresource, dryRun } = context;
    const admitted = this.#policies.admit(resource, { operation: 'CREATE', object, old: undefined, fieldManager, subresource, dryRun });
    if (admitted !== object) {
      checkMutated(resource, admitted);
      completeObject(resource, admitted, undefined, this.#parts);
    }
    this.#policies.check(resource, admitted);
    return this.#store(resource, admitted, context);
  }

  /** Replaces an object (or its status) with the client's. */
  update(resource: Resource, namespace: string, name: string, body: KubeObject, context: WriteContext): KubeObject {
    const live = this.get(resource, namespace, name);
    const object = decodeObject(resource, namespace, body, context);
    checkName(object, name);
    // Objects of built-in kinds can be replaced in any version.
    if (resource.custom && !object.metadata.resourceVersion)
      throw invalid({ kind: resource.plural, group: resource.group }, name, [
        invalidValue('metadata.resourceVersion', 0, 'must be specified for an update'),
      ]);
    return this.#write(resource, live, object, context);
  }

  patch(resource: Resource, namespace: string, name: string, type: PatchType, patch: Json, context: WriteContext): KubeObject {
    if (type === 'apply') return this.#apply(resource, namespace, name, patch, context);
    const live = this.get(resource, namespace, name);
    if (type === 'strategic' && resource.custom)
      throw unsupportedMediaType('application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml');
    const patched =
      type === 'json' ? jsonPatch(live, patch) : type === 'merge' ? mergePatch(live, patch) : strategicMerge(live, patch, resource.schema);
    if (!isRecord(patched) || !isRecord(patched.metadata)) throw badRequest('the patch leaves no object');
    const object = decodeObject(resource, namespace, patched as KubeObject, context, patch);
    // The same list, which is parsed already, if the patch does not change it.
    if (patched.metadata.managedFields === live.metadata.managedFields) object.metadata.managedFields = live.metadata.managedFields;
    checkName(object, name);
    return this.#write(resource, live, object, context);
  }

  #apply(resource: Resource, namespace: string, name: string, body: Json, context: WriteContext): KubeObject {
    checkApplication(resource, namespace, body, context);
    const live = this.store.get(resource.storeKey, `${namespace}/${name}`);
    const named = { ...body, metadata: { ...body.metadata, name: body.metadata?.name ?? name } } as KubeObject;
    const applied = decodeObject(resource, namespace, named, context);
    checkName(applied, name);
    const { uid, resourceVersion } = applied.metadata;
    if (resource.status || resource.storeKey === '/namespaces') keepPart(applied, context.subresource);
    const writer = this.#writer(resource, context);
    if (live === undefined) {
      if (context.subresource !== '') throw notFound(resource, name);
      if (uid !== undefined)
        throw conflict(resource, name, `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`);
      const managed = applyConfiguration(undefined, applied, resource.schema, writer, true).metadata.managedFields;
      return this.#createApplied(resource, namespace, applied, managed, context);
    }
    const current = fromStored(live, resource);
    const merged = applyConfiguration(current, applied, resource.schema, writer, context.force);
    if (resourceVersion === undefined) merged.metadata.resourceVersion = current.metadata.resourceVersion ?? '';
    return this.#write(resource, current, merged, context, true);
  }

  #createApplied(resource: Resource, namespace: string, applied: KubeObject, managed: unknown, context: WriteContext): KubeObject {
    // A version in an apply binds only an object that exists.
    const { resourceVersion: _, ...metadata } = applied.metadata;
    const dry = this.create(resource, namespace, { ...applied, metadata }, { ...context, dryRun: true });
    const object = clone(dry);
    object.metadata.managedFields = managed;
    return this.#store(resource, object, context);
  }

  #write(resource: Resource, live: KubeObject, object: KubeObject, context: WriteContext, applied = false): KubeObject {
    const { name } = live.metadata;
    const { uid, resourceVersion } = object.metadata;
    const sent = { ...object, metadata: { ...object.metadata } };
    if (uid !== undefined && uid !== '' && uid !== live.metadata.uid)
      throw conflict(resource, name, `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${live.metadata.uid}`);
    if (resourceVersion !== undefined && resourceVersion !== '' && resourceVersion !== live.metadata.resourceVersion)
      throw conflict(resource, name, modified);
    const given = keepServerOwned(resource, live, object, context.subresource);
    completeObject(resource, given, live, this.#parts);
    // A subresource of another manager name is another entry: scale writes count as such, status writes too.
    if (!applied) recordUpdate(live, given, resource.schema, this.#writer(resource, context));
    const next = this.#mutated(resource, live, { sent, given }, context);
    this.#policies.check(resource, next);
    if (isEqual(withoutServerFields(next), withoutServerFields(live))) return live;
    if (isCounted(resource) && context.subresource !== 'status' && live.metadata.generation !== undefined && changesContent(next, live))
      next.metadata.generation = live.metadata.generation + 1;
    if (next.metadata.deletionTimestamp !== undefined && isFinished(next)) return this.#remove(resource, next, context);
    return this.#store(resource, next, context);
  }

  /** A scale is not the object itself, and no policy sees it here. */
  #mutated(
    resource: Resource,
    live: KubeObject,
    { sent, given }: { sent: KubeObject; given: KubeObject },
    { fieldManager, subresource, dryRun }: WriteContext,
  ): KubeObject {
    if (subresource === 'scale') return given;
    const write = { operation: 'UPDATE', old: live, fieldManager, subresource, dryRun } as const;
    const next = mutated(given, sent, (object) => this.#policies.admit(resource, { ...write, object }));
    if (next !== given) {
      checkMutated(resource, next);
      completeObject(resource, next, live, this.#parts);
    }
    return next;
  }

  #checkNamespace(resource: Resource, namespace: string, name: string): void {
    if (!resource.namespaced) return;
    const found = this.store.get('/namespaces', `/${namespace}`);
    if (found === undefined) throw notFound({ group: '', plural: 'namespaces', kind: 'Namespace' }, namespace);
    if (found.metadata.deletionTimestamp !== undefined)
      throw forbidden(resource, name, `unable to create new content in namespace ${namespace} because it is being terminated`, [
        { reason: 'NamespaceTerminating', message: `namespace ${namespace} is being terminated`, field: 'metadata.namespace' },
      ]);
  }

  /** `default` is never missed: its controller is not part of this cluster. */
  #checkServiceAccount(pods: Resource, { metadata, spec }: RawObject): void {
    const name: string = spec?.serviceAccountName || spec?.serviceAccount || 'default';
    const key = `${metadata.namespace}/${name}`;
    if (name === 'default' || this.store.get('/serviceaccounts', key) !== undefined) return;
    throw forbidden(pods, metadata.name, `error looking up service account ${key}: serviceaccount "${name}" not found`);
  }

  #writer(resource: Resource, context: WriteContext): { manager: string; apiVersion: string; subresource: string; time: string } {
    return { manager: context.manager, apiVersion: apiVersionOf(resource), subresource: context.subresource, time: this.time() };
  }

  #store(resource: Resource, object: KubeObject, context: WriteContext): KubeObject {
    if (context.dryRun) return object;
    const before = this.store.get(resource.storeKey, objectKey(object));
    const stored = this.store.put(resource.storeKey, toStored(object, resource));
    this.#hooks.onWrite?.({ userAgent: context.userAgent, subresource: context.subresource, before, object: stored });
    if (resource.storeKey === 'apiextensions.k8s.io/customresourcedefinitions') this.#serve(stored);
    return fromStored(stored, resource);
  }

  #serve(crd: KubeObject): void {
    const { group, names } = asCustomResourceDefinition(crd).spec;
    this.resources.removeAll(group, names.plural);
    for (const resource of resourcesOf(crd)) this.resources.add(resource);
  }

  delete(resource: Resource, namespace: string, name: string, options: DeleteOptions = {}): { object: KubeObject; gone: boolean } {
    const live = this.get(resource, namespace, name);
    checkPreconditions(resource, live, options);
    const next = clone(live);
    next.metadata.finalizers = deletionFinalizers(resource, live, options);
    const grace = graceSeconds(resource, live, options);
    if (resource.storeKey === '/namespaces') next.status = { ...(next.status as object | undefined), phase: 'Terminating' };
    const context = { ...internalWrite, dryRun: options.dryRun === true };
    if (grace === 0) next.metadata.deletionGracePeriodSeconds = 0;
    if (grace === 0 && isFinished(next)) return { object: this.#remove(resource, next, context), gone: true };
    if (next.metadata.finalizers.length === 0) delete next.metadata.finalizers;
    if (live.metadata.deletionTimestamp === undefined || grace < Number(live.metadata.deletionGracePeriodSeconds ?? 0)) {
      next.metadata.deletionTimestamp = secondsText(this.#world, grace * 1000);
      next.metadata.deletionGracePeriodSeconds = grace;
      if (next.metadata.generation !== undefined && live.metadata.deletionTimestamp === undefined) next.metadata.generation += 1;
    }
    if (isEqual(next, live)) return { object: live, gone: false };
    return { object: this.#store(resource, next, context), gone: false };
  }

  #remove(resource: Resource, object: KubeObject, context: WriteContext): KubeObject {
    if (context.dryRun) return object;
    const removed = this.store.remove(resource.storeKey, objectKey(object)) ?? object;
    this.#hooks.onWrite?.({ userAgent: context.userAgent, subresource: '', before: removed, object: undefined });
    if (resource.storeKey === 'apiextensions.k8s.io/customresourcedefinitions') {
      const { group, names } = asCustomResourceDefinition(object).spec;
      this.resources.removeAll(group, names.plural);
    }
    return fromStored(removed, resource);
  }

  writeScale(resource: Resource, object: KubeObject, scale: Json, context: WriteContext): JsonObject {
    return scaleOf(resource, this.#write(resource, object, withScale(resource, object, scale), context));
  }
}

const isCounted = ({ status, storeKey }: Resource): boolean => (status ? !withoutGeneration.has(storeKey) : countedAlone.has(storeKey));

function checkName({ metadata }: KubeObject, name: string): void {
  if (metadata.name !== name) throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${name})`);
}
