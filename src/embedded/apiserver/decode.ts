import type { KubeObject } from '../../api/kube-object.ts';
import { clone, isRecord, type Json } from './json.ts';
import { prune } from './prune.ts';
import { apiVersionOf, type Resource } from './resources.ts';
import { badRequest, invalid, invalidValue, StatusError } from './status.ts';
import { validate } from './validate.ts';
import type { WriteContext } from './write-context.ts';

/**
 * The object in a request's body: known fields only, no nulls, in the namespace of the request. An unknown field is a warning, or with strict field validation
 * a refusal; a wrong type is always a refusal. `patch`: the patch that made this object from an existing one.
 */
export function decodeObject(resource: Resource, namespace: string, body: KubeObject, context: WriteContext, patch?: unknown): KubeObject {
  if (!isRecord(body)) throw badRequest('the body of the request is not an object');
  if (body.kind !== undefined && body.kind !== resource.kind) throw badRequest(unhandled(body.kind, body.apiVersion, resource));
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
  if (unknown.length > 0 && context.fieldValidation === 'Strict' && patch !== undefined)
    throw invalid({ kind: '', group: '' }, '', [
      invalidValue('patch', JSON.stringify(patch), `strict decoding error: ${unknown.join(', ')}`),
    ]);
  if (unknown.length > 0 && context.fieldValidation === 'Strict')
    throw badRequest(`${unhandled(resource.kind, resource.version, resource)}: strict decoding error: ${unknown.join(', ')}`);
  if (context.fieldValidation !== 'Ignore') for (const text of unknown) context.warn(text);
  if (!resource.custom) checkTypes(resource, object);
  return object;
}

/** A policy that leaves fields of a wrong type is not the client's fault. */
export function checkMutated(resource: Resource, object: KubeObject): void {
  const wrong = resource.custom ? undefined : wrongType(resource, object);
  if (wrong !== undefined) throw new StatusError(500, 'InternalError', `Internal error occurred: ${wrong}`);
}

/** Wrong types in built-in kinds fail in decoding, before any validation. */
function checkTypes(resource: Resource, object: KubeObject): void {
  const wrong = wrongType(resource, object);
  if (wrong !== undefined) throw badRequest(`${unhandled(resource.kind, resource.version, resource)}: ${wrong}`);
}

function wrongType({ kind, schema }: Resource, object: KubeObject): string | undefined {
  const wrong = validate(object, schema, '').find((cause) => cause.reason === 'FieldValueTypeInvalid');
  return wrong && `json: cannot unmarshal into Go struct field ${kind}.${wrong.field}: ${wrong.message}`;
}

const unhandled = (kind: string, version: string, resource: Resource): string =>
  `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${resource.kind}`;

/** Null means absent when a Go struct is decoded. Free-form fields lose it too where they are inside records. */
function dropNulls(value: Json): void {
  if (Array.isArray(value)) for (const item of value) dropNulls(item);
  else if (isRecord(value))
    for (const key of Object.keys(value)) {
      if (value[key] === null) delete value[key];
      else if (key !== 'data' && key !== 'openAPIV3Schema') dropNulls(value[key]);
    }
}
