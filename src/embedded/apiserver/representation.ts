import type { KubeObject } from '../../api/kube-object.ts';
import type { JsonObject } from './json.ts';
import { apiVersionOf, type Resource } from './resources.ts';
import { partialMetadata, table } from './table.ts';

/** The form in which the client wants objects, by its Accept header. */
export class Representation {
  readonly #resource: Resource;
  readonly #form: 'Table' | 'PartialObjectMetadata' | 'object';
  readonly #includeObject: string;
  readonly #now: () => number;

  constructor(resource: Resource, accept: string, query: URLSearchParams, now: () => number) {
    this.#resource = resource;
    this.#form = formOf(accept);
    this.#includeObject = query.get('includeObject') ?? 'Metadata';
    this.#now = now;
  }

  one(object: KubeObject): JsonObject {
    if (this.#form === 'object') return object;
    if (this.#form === 'PartialObjectMetadata') return partialMetadata(object);
    return this.#table([object], { resourceVersion: object.metadata.resourceVersion });
  }

  list(objects: readonly KubeObject[], metadata: JsonObject): JsonObject {
    if (this.#form === 'Table') return this.#table(objects, metadata);
    if (this.#form === 'object')
      return { kind: this.#resource.listKind, apiVersion: apiVersionOf(this.#resource), metadata, items: objects };
    return { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1', metadata, items: objects.map(partialMetadata) };
  }

  #table(objects: readonly KubeObject[], metadata: JsonObject): JsonObject {
    return table(this.#resource, objects, metadata, this.#includeObject, this.#now());
  }
}

function formOf(accept: string): 'Table' | 'PartialObjectMetadata' | 'object' {
  for (const type of accept.split(',')) {
    if (/;\s*as=Table\b/.test(type)) return 'Table';
    if (/;\s*as=PartialObjectMetadata/.test(type)) return 'PartialObjectMetadata';
    if (/^\s*(application\/json|\*\/\*)/.test(type)) return 'object';
  }
  return 'object';
}
