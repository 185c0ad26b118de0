import type { KubeObject } from '../../api/kube-object.ts';
import type { JsonObject } from './json.ts';
import { apiVersionOf, type Resource } from './resources.ts';
import { partialMetadata, table } from './table.ts';

/** The form in which the client wants objects. */
export interface Representation {
  one(object: KubeObject): JsonObject;
  list(objects: readonly KubeObject[], metadata: JsonObject): JsonObject;
}

/** By the Accept header and the query of a request. */
export function representationOf(resource: Resource, accept: string, query: URLSearchParams, now: () => number): Representation {
  const form = formOf(accept);
  if (form === 'Table') {
    const include = query.get('includeObject') ?? 'Metadata';
    const list: Representation['list'] = (objects, metadata) => table(resource, objects, metadata, include, now());
    return { one: (object) => list([object], { resourceVersion: object.metadata.resourceVersion }), list };
  }
  const isPartial = form === 'PartialObjectMetadata';
  const type = isPartial
    ? { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' }
    : { kind: resource.listKind, apiVersion: apiVersionOf(resource) };
  return {
    one: (object) => (isPartial ? partialMetadata(object) : object),
    list: (objects, metadata) => ({ ...type, metadata, items: isPartial ? objects.map(partialMetadata) : objects }),
  };
}

function formOf(accept: string): 'Table' | 'PartialObjectMetadata' | 'object' {
  for (const type of accept.split(',')) {
    if (/;\s*as=Table\b/.test(type)) return 'Table';
    if (/;\s*as=PartialObjectMetadata/.test(type)) return 'PartialObjectMetadata';
    if (/^\s*(application\/json|\*\/\*)/.test(type)) return 'object';
  }
  return 'object';
}
