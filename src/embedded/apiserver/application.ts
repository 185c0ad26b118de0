import type { KubeObject } from '../../api/kube-object.ts';
import { clone, isRecord, type Json } from './json.ts';
import { prune } from './prune.ts';
import { apiVersionOf, type Resource } from './resources.ts';
import { badRequest, invalid, required, StatusError } from './status.ts';
import type { WriteContext } from './write-context.ts';

/** Refuses a body that server-side apply cannot take. */
export function checkApplication(resource: Resource, namespace: string, body: Json, context: WriteContext): void {
  if (!isRecord(body) || !isRecord(body.metadata ?? {})) throw badRequest('error decoding YAML');
  if (context.manager === '')
    throw invalid({ kind: 'PatchOptions', group: 'meta.k8s.io' }, '', [required('fieldManager', 'is required for apply patch')]);
  if (Array.isArray(body.metadata?.managedFields) && body.metadata.managedFields.length > 0)
    throw badRequest('metadata.managedFields must be nil');
  if (body.apiVersion !== apiVersionOf(resource) || body.kind !== resource.kind)
    throw badRequest(
      `the object provided (${body.apiVersion} ${body.kind}) does not match the resource (${apiVersionOf(resource)} ${resource.kind})`,
    );
  const undeclared = prune(clone(body), resource.schema);
  if (undeclared.length === 0) return;
  // A create drops what it does not know; an apply could not say who owns it.
  const texts = undeclared.map((path) => `.${path}: field not declared in schema`);
  const what = texts.length === 1 ? texts[0] : `errors:\n  ${texts.join('\n  ')}`;
  const of = `${namespace}/${body.metadata?.name}; ${apiVersionOf(resource)}, Kind=${resource.kind}`;
  throw new StatusError(500, '', `failed to create typed patch object (${of}): ${what}`);
}

/** An apply owns only what its endpoint writes. */
export function keepPart(object: KubeObject, subresource: string): void {
  if (subresource !== 'status') {
    delete object.status;
    return;
  }
  for (const key of Object.keys(object)) if (!['apiVersion', 'kind', 'metadata', 'status'].includes(key)) delete object[key];
  const { metadata } = object;
  for (const key of Object.keys(metadata)) if (!['name', 'namespace', 'uid', 'resourceVersion'].includes(key)) delete metadata[key];
}
