import type { KubeObject } from '../../api/kube-object.ts';
import type { TableColumn } from './builtin-columns.ts';
import { type BuiltinKind, builtinKinds } from './builtin-kinds.ts';
import { isRecord, type Json } from './json.ts';
import { anything, builtinSchema, objectFields, type Schema } from './schema.ts';

/** One served resource in one version, built in or from a CustomResourceDefinition. */
export interface Resource extends Omit<BuiltinKind, 'scale'> {
  listKind: string;
  singular: string;
  scale: { spec: string; status: string; selector: string } | undefined;
  custom: boolean;
  /** The apiVersion that objects are stored in. */
  storedVersion: string;
  schema: Schema;
  /** Its definition changed since it was made: stored objects can contain fields that the current schema does not know. */
  isRedefined: boolean;
  columns: Column[];
  selectable: string[];
}

type Column = Omit<TableColumn, 'cell'> & { jsonPath: string };

export const apiVersionOf = ({ group, version }: { group: string; version: string }): string =>
  group === '' ? version : `${group}/${version}`;

function fromBuiltin({ scale, ...kind }: BuiltinKind): Resource {
  const first = builtinKinds.find(({ storeKey }) => storeKey === kind.storeKey) ?? kind;
  return {
    ...kind,
    listKind: `${kind.kind}List`,
    singular: kind.kind.toLowerCase(),
    scale: scale ? { spec: '.spec.replicas', status: '.status.replicas', selector: '.spec.selector' } : undefined,
    custom: false,
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
      const { status, scale } = version.subresources ?? {};
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
        status: isRecord(status),
        scale: isRecord(scale)
          ? { spec: scale.specReplicasPath, status: scale.statusReplicasPath, selector: scale.labelSelectorPath ?? '' }
          : undefined,
        virtual: false,
        custom: true,
        storeKey: `${group}/${names.plural}`,
        storedVersion: apiVersionOf({ group, version: storage?.name ?? version.name }),
        schema: {
          ...schema,
          properties: { ...schema.properties, ...objectFields },
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

  constructor() {
    for (const kind of builtinKinds) this.add(fromBuiltin(kind));
  }

  add(resource: Resource): void {
    this.#resources.set(`${resource.group}/${resource.version}/${resource.plural}`, resource);
  }

  removeAll(group: string, plural: string): void {
    for (const [key, resource] of this.#resources) if (resource.group === group && resource.plural === plural) this.#resources.delete(key);
  }

  find(group: string, version: string, plural: string): Resource | undefined {
    return this.#resources.get(`${group}/${version}/${plural}`);
  }

  /** The first of several. */
  byKind(apiVersion: string, kind: string): Resource | undefined {
    return this.all().find((resource) => resource.kind === kind && apiVersionOf(resource) === apiVersion);
  }

  all(): Resource[] {
    return [...this.#resources.values()];
  }
}
