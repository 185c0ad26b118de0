import { randomBytes, randomUUID } from 'node:crypto';
import type { KubeObject } from '../../api/kube-object.ts';
import { validateObject } from './admission.ts';
import { CelRules } from './cel.ts';
import { applyBuiltinDefaults } from './defaults.ts';
import { clone, isEqual, isRecord, type Json, type JsonRecord, setAt, valueAt } from './json.ts';
import { applyConfiguration, recordUpdate, withoutBookkeeping } from './managed-fields.ts';
import { jsonPatch, mergePatch, strategicMerge } from './patch.ts';
import { applyDefaults, prune } from './prune.ts';
import { apiVersionOf, type Resource, Resources, resourcesOf } from './resources.ts';
import { fieldSchema } from './schema.ts';
import { alreadyExists, badRequest, conflict, forbidden, invalid, invalidValue, modified, notFound, Refusal } from './status.ts';
import { keyOf, Store } from './store.ts';
import { validate } from './validate.ts';
import { fromStored, toStored } from './versions.ts';

export interface WriteContext {
  manager: string;
  subresource: string;
  dryRun: boolean;
  fieldValidation: string;
  force: boolean;
  warn(text: string): void;
}

export interface DeleteOptions {
  propagationPolicy?: string;
  orphanDependents?: boolean;
  gracePeriodSeconds?: number;
  preconditions?: { uid?: string; resourceVersion?: string };
  dryRun?: boolean;
}

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

/** What the server does to objects, whoever asks: requests and its own collectors alike. */
export class Api {
  readonly store = new Store();
  readonly resources = new Resources();
  readonly cel = new CelRules();
  readonly #now: () => number;
  #nextIp = 1;

  constructor(now: () => number) {
    this.#now = now;
  }

  time(): string {
    return new Date(this.#now()).toISOString().replace(/\.\d+Z$/, 'Z');
  }

  get(resource: Resource, namespace: string, name: string): KubeObject {
    const found = this.store.get(resource.storeKey, `${namespace}/${name}`);
    if (found === undefined) throw notFound(resource, name);
    return fromStored(found, resource);
  }

  create(resource: Resource, namespace: string, body: KubeObject, context: WriteContext): KubeObject {
    const object = this.#decode(resource, namespace, body, context);
    const { metadata } = object;
    if (metadata.resourceVersion !== undefined && metadata.resourceVersion !== '')
      throw badRequest('resourceVersion should not be set on objects to be created');
    if (!metadata.name && typeof metadata.generateName === 'string' && metadata.generateName !== '')
      metadata.name = `${metadata.generateName.slice(0, 58)}${randomName()}`;
    if (!metadata.name)
      throw invalid(resource.kind, resource.group, '', [
        { reason: 'FieldValueRequired', message: 'Required value: name or generateName is required', field: 'metadata.name' },
      ]);
    if (this.store.get(resource.storeKey, keyOf(object)) !== undefined) throw alreadyExists(resource, metadata.name);
    this.#checkNamespace(resource, namespace, metadata.name);
    delete metadata.deletionTimestamp;
    delete metadata.deletionGracePeriodSeconds;
    delete metadata.managedFields;
    metadata.uid = randomUUID();
    metadata.creationTimestamp = this.time();
    if (resource.status || resource.storeKey === 'apps/controllerrevisions') {
      if (resource.status) delete object.status;
    }
    if (resource.status && resource.storeKey !== '/nodes') metadata.generation = 1;
    else delete metadata.generation;
    if (['/nodes', '/services', '/namespaces'].includes(resource.storeKey)) delete metadata.generation;
    this.#complete(resource, object, undefined);
    recordUpdate(undefined, object, resource.schema, this.#writer(resource, context));
    return this.#store(resource, object, context);
  }

  /** Replaces an object (or its status) with what a client sent. */
  update(resource: Resource, namespace: string, name: string, body: KubeObject, context: WriteContext): KubeObject {
    const live = this.get(resource, namespace, name);
    const object = this.#decode(resource, namespace, body, context);
    if (object.metadata.name !== name)
      throw badRequest(`the name of the object (${object.metadata.name}) does not match the name on the URL (${name})`);
    return this.#write(resource, live, object, context);
  }

  patch(resource: Resource, namespace: string, name: string, type: PatchType, patch: Json, context: WriteContext): KubeObject {
    if (type === 'apply') return this.#apply(resource, namespace, name, patch, context);
    const live = this.get(resource, namespace, name);
    if (type === 'strategic' && resource.custom)
      throw new Refusal(
        415,
        'UnsupportedMediaType',
        'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
        {},
      );
    const patched =
      type === 'json' ? jsonPatch(live, patch) : type === 'merge' ? mergePatch(live, patch) : strategicMerge(live, patch, resource.schema);
    if (!isRecord(patched) || !isRecord(patched.metadata)) throw badRequest('the patch leaves no object');
    const object = this.#decode(resource, namespace, clone(patched) as KubeObject, context);
    if (object.metadata.name !== name)
      throw badRequest(`the name of the object (${object.metadata.name}) does not match the name on the URL (${name})`);
    return this.#write(resource, live, object, context);
  }

  #apply(resource: Resource, namespace: string, name: string, body: Json, context: WriteContext): KubeObject {
    if (!isRecord(body) || !isRecord(body.metadata ?? {})) throw badRequest('error decoding YAML');
    if (context.manager === '')
      throw invalid('PatchOptions', 'meta.k8s.io', '', [
        { reason: 'FieldValueRequired', message: 'Required value: is required for apply patch', field: 'fieldManager' },
      ]);
    if (Array.isArray(body.metadata?.managedFields) && body.metadata.managedFields.length > 0)
      throw badRequest('metadata.managedFields must be nil');
    if (body.apiVersion !== apiVersionOf(resource) || body.kind !== resource.kind)
      throw badRequest(
        `the object provided (${body.apiVersion} ${body.kind}) does not match the resource (${apiVersionOf(resource)} ${resource.kind})`,
      );
    const live = this.store.get(resource.storeKey, `${namespace}/${name}`);
    const applied = this.#decode(
      resource,
      namespace,
      { ...body, metadata: { ...body.metadata, name: body.metadata?.name ?? name } } as KubeObject,
      context,
    );
    if (applied.metadata.name !== name)
      throw badRequest(`the name of the object (${applied.metadata.name}) does not match the name on the URL (${name})`);
    const { uid, resourceVersion } = applied.metadata;
    if (resource.status || resource.storeKey === '/namespaces') keepPart(applied, context.subresource);
    const writer = this.#writer(resource, context);
    if (live === undefined) {
      if (context.subresource !== '') throw notFound(resource, name);
      if (uid !== undefined)
        throw conflict(resource, name, `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`);
      if (resourceVersion !== undefined && resourceVersion !== '') throw notFound(resource, name);
      const managed = applyConfiguration(undefined, applied, resource.schema, writer, true).metadata.managedFields;
      return this.#createApplied(resource, namespace, applied, managed, context);
    }
    const current = fromStored(live, resource);
    const merged = applyConfiguration(current, applied, resource.schema, writer, context.force);
    if (resourceVersion === undefined) merged.metadata.resourceVersion = current.metadata.resourceVersion ?? '';
    return this.#write(resource, current, merged, context, true);
  }

  #createApplied(resource: Resource, namespace: string, applied: KubeObject, managed: unknown, context: WriteContext): KubeObject {
    const dry = this.create(resource, namespace, applied, { ...context, dryRun: true });
    const object = clone(dry);
    object.metadata.managedFields = managed;
    return this.#store(resource, object, context);
  }

  #write(resource: Resource, live: KubeObject, object: KubeObject, context: WriteContext, applied = false): KubeObject {
    const { name } = live.metadata;
    const { uid, resourceVersion } = object.metadata;
    if (uid !== undefined && uid !== '' && uid !== live.metadata.uid)
      throw conflict(resource, name, `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${live.metadata.uid}`);
    if (resourceVersion !== undefined && resourceVersion !== '' && resourceVersion !== live.metadata.resourceVersion)
      throw conflict(resource, name, modified);
    const next = this.#protect(resource, live, object, context.subresource);
    this.#complete(resource, next, live);
    // A subresource of another manager name is another entry: scale writes count as such, status writes too.
    if (!applied) recordUpdate(live, next, resource.schema, this.#writer(resource, context));
    if (isEqual(withoutBookkeeping(next), withoutBookkeeping(live))) return live;
    if (
      resource.status &&
      context.subresource !== 'status' &&
      live.metadata.generation !== undefined &&
      !isEqual(served(next), served(live))
    )
      next.metadata.generation = live.metadata.generation + 1;
    if (next.metadata.deletionTimestamp !== undefined && isFinished(next)) return this.#remove(resource, next, context);
    return this.#store(resource, next, context);
  }

  /** What the client may not change stays: identity, and the other side of a status subresource. */
  #protect(resource: Resource, live: KubeObject, object: KubeObject, subresource: string): KubeObject {
    const next = subresource === 'status' ? ({ ...clone(live), status: object.status } as KubeObject) : { ...object };
    if (subresource === 'status') {
      if (object.status === undefined) delete next.status;
      if (object.metadata.managedFields !== undefined) next.metadata.managedFields = object.metadata.managedFields;
      if (!resource.custom) {
        if (object.metadata.labels !== undefined) next.metadata.labels = object.metadata.labels;
        if (object.metadata.annotations !== undefined) next.metadata.annotations = object.metadata.annotations;
      }
    } else if (resource.status) {
      if (live.status === undefined) delete next.status;
      else next.status = live.status;
    }
    const { metadata } = next;
    for (const field of [
      'uid',
      'creationTimestamp',
      'generation',
      'deletionTimestamp',
      'deletionGracePeriodSeconds',
      'generateName',
      'resourceVersion',
    ]) {
      if (live.metadata[field] === undefined) delete metadata[field];
      else metadata[field] = live.metadata[field];
    }
    if (resource.storeKey === '/services' && subresource !== 'status') keepClusterIp(next, live);
    return next;
  }

  #decode(resource: Resource, namespace: string, body: KubeObject, context: WriteContext): KubeObject {
    if (!isRecord(body)) throw badRequest('the body of the request is not an object');
    if (body.kind !== undefined && body.kind !== resource.kind)
      throw badRequest(`${body.kind} in version ${JSON.stringify(body.apiVersion)} cannot be handled as a ${resource.kind}`);
    if (body.apiVersion !== undefined && body.apiVersion !== apiVersionOf(resource))
      throw badRequest(
        `the API version in the data (${body.apiVersion}) does not match the expected API version (${apiVersionOf(resource)})`,
      );
    const object = clone(body);
    object.apiVersion = apiVersionOf(resource);
    object.kind = resource.kind;
    if (!isRecord(object.metadata)) object.metadata = { name: '' };
    dropNulls(resource.custom ? object.metadata : object);
    if (resource.namespaced) {
      const given = object.metadata.namespace;
      if (given !== undefined && given !== '' && given !== namespace)
        throw badRequest(`the namespace of the provided object does not match the namespace sent on the request`);
      object.metadata.namespace = namespace;
    } else delete object.metadata.namespace;
    const unknown = prune(object, resource.schema).map((path) => `unknown field ${JSON.stringify(path)}`);
    if (unknown.length > 0 && context.fieldValidation === 'Strict')
      throw badRequest(
        `${resource.kind} in version ${JSON.stringify(resource.version)} cannot be handled as a ${resource.kind}: strict decoding error: ${unknown.join(', ')}`,
      );
    if (context.fieldValidation !== 'Ignore') for (const text of unknown) context.warn(text);
    if (!resource.custom) this.#checkTypes(resource, object);
    return object;
  }

  /** Wrong types in built-in kinds fail in decoding, before any validation. */
  #checkTypes(resource: Resource, object: KubeObject): void {
    const wrong = validate(object, resource.schema, '').find((cause) => cause.reason === 'FieldValueTypeInvalid');
    if (wrong !== undefined)
      throw badRequest(
        `${resource.kind} in version ${JSON.stringify(resource.version)} cannot be handled as a ${resource.kind}: json: cannot unmarshal into Go struct field ${resource.kind}.${wrong.field}: ${wrong.message}`,
      );
  }

  /** Defaults, then validation. */
  #complete(resource: Resource, object: KubeObject, live: KubeObject | undefined): void {
    applyDefaults(object, resource.schema);
    if (!resource.custom) {
      const missing = validate(object, resource.schema, '').filter(
        ({ reason, field }) => reason === 'FieldValueRequired' && field.startsWith('spec'),
      );
      if (!isRecord(object.spec) && missing.length > 0) throw invalid(resource.kind, resource.group, object.metadata.name, missing);
      if (object.apiVersion.startsWith('apps/') && resource.schema.properties?.spec !== undefined && !isRecord(object.spec))
        throw invalid(resource.kind, resource.group, object.metadata.name, [
          { reason: 'FieldValueRequired', message: 'Required value', field: 'spec' },
        ]);
      if (missing.length > 0) throw invalid(resource.kind, resource.group, object.metadata.name, missing);
      applyBuiltinDefaults(object);
      if (resource.storeKey === '/services') this.#allocateClusterIp(object);
    } else {
      const causes = validate(object, resource.schema, '').filter(({ field }) => !field.startsWith('metadata.'));
      if (causes.length === 0) causes.push(...this.cel.check(object, live, resource.schema));
      if (causes.length > 0) throw invalid(resource.kind, resource.group, object.metadata.name, causes);
    }
    validateObject(resource, object, live);
    if (resource.kind === 'CustomResourceDefinition' && !resource.custom) prepareDefinition(object, this.time());
  }

  #allocateClusterIp(object: KubeObject): void {
    const { spec } = object;
    if (!isRecord(spec) || spec.type === 'ExternalName') return;
    if (!spec.clusterIP) {
      this.#nextIp += 1;
      spec.clusterIP = `10.96.${Math.floor(this.#nextIp / 250)}.${(this.#nextIp % 250) + 1}`;
    }
    spec.clusterIPs ??= [spec.clusterIP];
    object.status ??= { loadBalancer: {} };
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

  #writer(resource: Resource, context: WriteContext): { manager: string; apiVersion: string; subresource: string; time: string } {
    return { manager: context.manager, apiVersion: apiVersionOf(resource), subresource: context.subresource, time: this.time() };
  }

  #store(resource: Resource, object: KubeObject, context: WriteContext): KubeObject {
    if (context.dryRun) return object;
    const stored = this.store.put(resource.storeKey, toStored(object, resource));
    if (resource.storeKey === 'apiextensions.k8s.io/customresourcedefinitions') this.#serve(stored);
    return fromStored(stored, resource);
  }

  #serve(crd: KubeObject): void {
    this.resources.removeAll(crd.spec.group, crd.spec.names.plural);
    for (const resource of resourcesOf(crd)) this.resources.add(resource);
  }

  delete(resource: Resource, namespace: string, name: string, options: DeleteOptions = {}): { object: KubeObject; gone: boolean } {
    const live = this.get(resource, namespace, name);
    const { uid, resourceVersion } = options.preconditions ?? {};
    if (uid !== undefined && uid !== live.metadata.uid)
      throw conflict(resource, name, `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${live.metadata.uid}`);
    if (resourceVersion !== undefined && resourceVersion !== live.metadata.resourceVersion)
      throw conflict(
        resource,
        name,
        `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${live.metadata.resourceVersion}`,
      );
    const next = clone(live);
    next.metadata.finalizers = deletionFinalizers(resource, live, options);
    const grace = this.#graceSeconds(resource, live, options);
    if (resource.storeKey === '/namespaces') next.status = { ...next.status, phase: 'Terminating' };
    const context = { ...internalWrite, dryRun: options.dryRun === true };
    if (grace === 0) next.metadata.deletionGracePeriodSeconds = 0;
    if (grace === 0 && isFinished(next)) return { object: this.#remove(resource, next, context), gone: true };
    if (next.metadata.finalizers.length === 0) delete next.metadata.finalizers;
    if (live.metadata.deletionTimestamp === undefined || grace < Number(live.metadata.deletionGracePeriodSeconds ?? 0)) {
      next.metadata.deletionTimestamp = new Date(this.#now() + grace * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
      next.metadata.deletionGracePeriodSeconds = grace;
      if (next.metadata.generation !== undefined && live.metadata.deletionTimestamp === undefined) next.metadata.generation += 1;
    }
    if (isEqual(next, live)) return { object: live, gone: false };
    return { object: this.#store(resource, next, context), gone: false };
  }

  /** Bound pods end gracefully: the kubelet deletes them with grace 0. Everything else goes at once. */
  #graceSeconds(resource: Resource, live: KubeObject, options: DeleteOptions): number {
    if (resource.storeKey !== '/pods' || !live.spec?.nodeName || ['Succeeded', 'Failed'].includes(live.status?.phase)) return 0;
    return options.gracePeriodSeconds ?? live.spec?.terminationGracePeriodSeconds ?? 30;
  }

  #remove(resource: Resource, object: KubeObject, context: WriteContext): KubeObject {
    if (context.dryRun) return object;
    const removed = this.store.remove(resource.storeKey, keyOf(object)) ?? object;
    if (resource.storeKey === 'apiextensions.k8s.io/customresourcedefinitions')
      this.resources.removeAll(object.spec.group, object.spec.names.plural);
    return fromStored(removed, resource);
  }

  readScale(resource: Resource, object: KubeObject): JsonRecord {
    const paths = resource.scale;
    const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
    const selector = valueAt(object, paths?.selector ?? '');
    const text = isRecord(selector) ? selectorText(selector) : selector;
    const replicas = valueAt(object, paths?.spec ?? '');
    return {
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
      spec: replicas === undefined || replicas === 0 ? {} : { replicas },
      status: {
        replicas: valueAt(object, paths?.status ?? '') ?? 0,
        ...(paths?.selector && typeof text === 'string' ? { selector: text } : {}),
      },
    };
  }

  writeScale(resource: Resource, object: KubeObject, scale: Json, context: WriteContext): JsonRecord {
    const replicas = scale?.spec?.replicas ?? 0;
    if (!Number.isInteger(replicas)) throw badRequest('Scale: spec.replicas must be an integer');
    if (replicas < 0)
      throw invalid('Scale', 'autoscaling', object.metadata.name, [
        invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0'),
      ]);
    const next = clone(object);
    setAt(next, resource.scale?.spec ?? '', replicas);
    for (const field of ['resourceVersion', 'uid'] as const) {
      const given = scale?.metadata?.[field];
      if (given) next.metadata[field] = given;
      else delete next.metadata[field];
    }
    return this.readScale(resource, this.#write(resource, object, next, context));
  }
}

export const internalWrite: WriteContext = {
  manager: 'serin-apiserver',
  subresource: '',
  dryRun: false,
  fieldValidation: 'Ignore',
  force: true,
  warn: () => undefined,
};

export function selectorText(selector: Json): string {
  const equal = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  const sets = (selector.matchExpressions ?? []).map((term: Json) =>
    term.operator === 'Exists'
      ? term.key
      : term.operator === 'DoesNotExist'
        ? `!${term.key}`
        : `${term.key} ${term.operator.toLowerCase()} (${term.values.join(',')})`,
  );
  return [...equal, ...sets].join(',');
}

const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
const randomName = (): string => [...randomBytes(5)].map((byte) => alphabet[byte % alphabet.length]).join('');

/** Everything but metadata and status: a change of it is a new generation. */
function served(object: KubeObject): JsonRecord {
  const { metadata: _metadata, status: _status, ...rest } = object;
  return rest;
}

function isFinished(object: KubeObject): boolean {
  if ((object.metadata.finalizers ?? []).length > 0) return false;
  if (object.kind === 'Pod' && object.spec?.nodeName && Number(object.metadata.deletionGracePeriodSeconds ?? 0) > 0) return false;
  return !(object.kind === 'Namespace' && object.apiVersion === 'v1' && (object.spec?.finalizers ?? []).length > 0);
}

function deletionFinalizers(resource: Resource, live: KubeObject, options: DeleteOptions): string[] {
  const policy =
    options.propagationPolicy ?? (options.orphanDependents === undefined ? undefined : options.orphanDependents ? 'Orphan' : 'Background');
  const now = live.metadata.finalizers ?? [];
  const kept = policy === undefined ? now : now.filter((name) => name !== 'foregroundDeletion' && name !== 'orphan');
  if (policy === 'Foreground') return [...kept, 'foregroundDeletion'];
  if (policy === 'Orphan') return [...kept, 'orphan'];
  if (resource.storeKey === 'apiextensions.k8s.io/customresourcedefinitions' && live.metadata.deletionTimestamp === undefined)
    return [...new Set([...kept, 'customresourcecleanup.apiextensions.k8s.io'])];
  return kept;
}

function keepClusterIp(next: KubeObject, live: KubeObject): void {
  if (!isRecord(next.spec) || next.spec.type === 'ExternalName') return;
  if (!next.spec.clusterIP) next.spec.clusterIP = live.spec?.clusterIP;
  next.spec.clusterIPs ??= live.spec?.clusterIPs;
  for (const field of ['clusterIP', 'clusterIPs']) if (next.spec[field] === undefined) delete next.spec[field];
}

/** An apply owns only what its endpoint writes. */
function keepPart(object: KubeObject, subresource: string): void {
  if (subresource !== 'status') {
    delete object.status;
    return;
  }
  for (const key of Object.keys(object)) if (!['apiVersion', 'kind', 'metadata', 'status'].includes(key)) delete object[key];
  const { name, namespace, uid, resourceVersion } = object.metadata;
  object.metadata = {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}

/** Null means absent when a Go struct is decoded. Free-form fields lose it too where they are inside records. */
function dropNulls(value: Json): void {
  if (Array.isArray(value)) for (const item of value) dropNulls(item);
  else if (isRecord(value))
    for (const key of Object.keys(value)) {
      if (value[key] === null) delete value[key];
      else if (key !== 'data' && key !== 'openAPIV3Schema') dropNulls(value[key]);
    }
}

function prepareDefinition(crd: KubeObject, time: string): void {
  const { group, names, versions } = crd.spec;
  const expected = `${names?.plural}.${group}`;
  if (crd.metadata.name !== expected)
    throw invalid(crd.kind, 'apiextensions.k8s.io', crd.metadata.name, [
      invalidValue('metadata.name', crd.metadata.name, `must be spec.names.plural+"."+spec.group`),
    ]);
  if (versions.filter((version: Json) => version.storage === true).length !== 1)
    throw invalid(crd.kind, 'apiextensions.k8s.io', crd.metadata.name, [
      invalidValue('spec.versions', versions.length, 'must have exactly one version marked as storage version'),
    ]);
  for (const [index, version] of versions.entries())
    if (fieldSchema(version, 'schema') === undefined || !isRecord(version.schema?.openAPIV3Schema))
      throw invalid(crd.kind, 'apiextensions.k8s.io', crd.metadata.name, [
        {
          reason: 'FieldValueRequired',
          message: 'Required value: schemas are required',
          field: `spec.versions[${index}].schema.openAPIV3Schema`,
        },
      ]);
  const since = crd.status?.conditions?.[0]?.lastTransitionTime ?? time;
  const condition = (type: string, reason: string, message: string): JsonRecord => ({
    type,
    status: 'True',
    reason,
    message,
    lastTransitionTime: since,
  });
  crd.status = {
    ...crd.status,
    acceptedNames: clone(names),
    storedVersions: [...new Set([...(crd.status?.storedVersions ?? []), versions.find((version: Json) => version.storage === true).name])],
    conditions: [
      condition('NamesAccepted', 'NoConflicts', 'no conflicts found'),
      condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
    ],
  };
}
