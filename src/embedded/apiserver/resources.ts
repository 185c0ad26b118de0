import type { KubeObject } from '../../api/kube-object.ts';
import { type BuiltinKind, builtinKinds } from './builtin-kinds.ts';
import { isRecord, type Json } from './json.ts';
import { anything, builtinSchema, definition, objectMetaName, type Schema } from './schema.ts';

/** One served resource in one version, built in or from a CustomResourceDefinition. */
export interface Resource {
  group: string;
  version: string;
  kind: string;
  listKind: string;
  plural: string;
  singular: string;
  shortNames: readonly string[];
  categories: readonly string[];
  namespaced: boolean;
  status: boolean;
  scale: { spec: string; status: string; selector: string } | undefined;
  virtual: boolean;
  custom: boolean;
  storeKey: string;
  /** The apiVersion that objects are stored in. */
  storedVersion: string;
  schema: Schema;
  /** Its definition changed since it was made: what was stored before may hold fields that the schema of now does not know. */
  isRedefined: boolean;
  columns: Column[];
  selectable: string[];
}

export interface Column {
  name: string;
  type: string;
  format?: string;
  description?: string;
  priority?: number;
  jsonPath: string;
}

export const apiVersionOf = ({ group, version }: { group: string; version: string }): string =>
  group === '' ? version : `${group}/${version}`;

function fromBuiltin(kind: BuiltinKind): Resource {
  const storeKey = kind.storedAs ?? `${kind.group}/${kind.plural}`;
  const first = builtinKinds.find((other) => (other.storedAs ?? `${other.group}/${other.plural}`) === storeKey) ?? kind;
  return {
    group: kind.group,
    version: kind.version,
    kind: kind.kind,
    listKind: `${kind.kind}List`,
    plural: kind.plural,
    singular: kind.kind.toLowerCase(),
    shortNames: kind.shortNames ?? [],
    categories: kind.categories ?? [],
    namespaced: kind.namespaced,
    status: kind.status === true,
    scale: kind.scale === true ? { spec: '.spec.replicas', status: '.status.replicas', selector: '.spec.selector' } : undefined,
    virtual: kind.virtual === true,
    custom: false,
    storeKey,
    storedVersion: apiVersionOf(first),
    schema: builtinSchema(kind.group, kind.version, kind.kind),
    isRedefined: false,
    columns: [],
    selectable: [],
  };
}

/** The resources that a CRD serves: one a version. */
export function resourcesOf(crd: KubeObject): Resource[] {
  const { group, names, scope, versions } = crd.spec as Json;
  const storage = versions.find((version: Json) => version.storage === true);
  return versions
    .filter((version: Json) => version.served === true)
    .map((version: Json): Resource => {
      const schema: Schema = version.schema?.openAPIV3Schema ?? anything;
      return {
        group,
        version: version.name,
        kind: names.kind,
        listKind: names.listKind ?? `${names.kind}List`,
        plural: names.plural,
        singular: names.singular ?? names.kind.toLowerCase(),
        shortNames: names.shortNames ?? [],
        categories: names.categories ?? [],
        namespaced: scope === 'Namespaced',
        status: isRecord(version.subresources?.status),
        scale: isRecord(version.subresources?.scale)
          ? {
              spec: version.subresources.scale.specReplicasPath,
              status: version.subresources.scale.statusReplicasPath,
              selector: version.subresources.scale.labelSelectorPath ?? '',
            }
          : undefined,
        virtual: false,
        custom: true,
        storeKey: `${group}/${names.plural}`,
        storedVersion: apiVersionOf({ group, version: storage?.name ?? version.name }),
        schema: {
          ...schema,
          properties: {
            ...schema.properties,
            apiVersion: { type: 'string' },
            kind: { type: 'string' },
            metadata: definition(objectMetaName),
          },
        },
        isRedefined: (crd.metadata.generation ?? 1) > 1,
        columns: version.additionalPrinterColumns ?? [],
        selectable: (version.selectableFields ?? []).map((field: Json) => String(field.jsonPath).replace(/^\./, '')),
      };
    });
}

/** Resources that are served now. */
export class Resources {
  readonly #resources = new Map<string, Resource>();
  /** By apiVersion and kind. */
  readonly #byKind = new Map<string, Resource>();

  constructor() {
    for (const kind of builtinKinds) this.add(fromBuiltin(kind));
  }

  add(resource: Resource): void {
    this.#resources.set(`${resource.group}/${resource.version}/${resource.plural}`, resource);
    const key = kindKey(apiVersionOf(resource), resource.kind);
    // Of several, the first.
    if (!this.#byKind.has(key)) this.#byKind.set(key, resource);
  }

  removeAll(group: string, plural: string): void {
    for (const [key, resource] of this.#resources) if (resource.group === group && resource.plural === plural) this.#resources.delete(key);
    this.#byKind.clear();
    for (const resource of this.#resources.values()) {
      const key = kindKey(apiVersionOf(resource), resource.kind);
      if (!this.#byKind.has(key)) this.#byKind.set(key, resource);
    }
  }

  find(group: string, version: string, plural: string): Resource | undefined {
    return this.#resources.get(`${group}/${version}/${plural}`);
  }

  byKind(apiVersion: string, kind: string): Resource | undefined {
    return this.#byKind.get(kindKey(apiVersion, kind));
  }

  byStore(storeKey: string): Resource | undefined {
    return this.all().find((resource) => resource.storeKey === storeKey && apiVersionOf(resource) === resource.storedVersion);
  }

  all(): Resource[] {
    return [...this.#resources.values()];
  }
}

const kindKey = (apiVersion: string, kind: string): string => `${apiVersion}/${kind}`;
