import { oncePerObject } from '../../base/once.ts';
import type { JsonObject } from './json.ts';
import kinds from './kinds.json' with { type: 'json' };

/** An OpenAPI schema: of a CRD (structural), or of a built-in kind (with `$ref` into kinds.json). */
export interface Schema {
  $ref?: string;
  type?: string;
  format?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  required?: string[];
  enum?: unknown[];
  pattern?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: boolean;
  exclusiveMaximum?: boolean;
  multipleOf?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  minProperties?: number;
  maxProperties?: number;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  not?: Schema;
  nullable?: boolean;
  default?: unknown;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  'x-kubernetes-embedded-resource'?: boolean;
  'x-kubernetes-int-or-string'?: boolean;
  'x-kubernetes-list-type'?: string;
  'x-kubernetes-list-map-keys'?: string[];
  'x-kubernetes-map-type'?: string;
  'x-kubernetes-patch-strategy'?: string;
  'x-kubernetes-patch-merge-key'?: string;
  'x-kubernetes-validations'?: ValidationRule[];
}

export interface ValidationRule {
  rule: string;
  message?: string;
}

const {
  definitions,
  kinds: kindNames,
  version,
} = kinds as unknown as {
  version: string;
  kinds: Record<string, string>;
  definitions: Record<string, Schema>;
};

/** The Kubernetes release whose schemas we serve. */
export const kubernetesVersion: string = version;

export const objectMetaName = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
/** Any JSON: a field whose schema we do not know. */
export const anything: Schema = { 'x-kubernetes-preserve-unknown-fields': true };

/** The schema of that name in Kubernetes' OpenAPI document, or any JSON without one. */
export function schemaDefinition(name: string): Schema {
  return definitions[name] ?? anything;
}

/** Fields that every object has, with any schema. */
export const objectFields: Record<string, Schema> = {
  apiVersion: { type: 'string' },
  kind: { type: 'string' },
  metadata: schemaDefinition(objectMetaName),
};

export function builtinSchema(group: string, kindVersion: string, kind: string): Schema {
  return schemaDefinition(kindNames[`${group}/${kindVersion}/${kind}`] ?? '');
}

const resolved = oncePerObject(
  ({ $ref, ...beside }: Schema): Schema => ({
    ...schemaDefinition($ref ?? beside.allOf?.[0]?.$ref ?? ''),
    ...beside,
  }),
);

/** The schema behind `$ref`, overlaid with the fields beside the reference (list types, merge keys, defaults). */
export function deref(schema: Schema | undefined): Schema {
  if (schema === undefined) return anything;
  return schema.$ref === undefined && schema.allOf?.[0]?.$ref === undefined ? schema : resolved(schema);
}

/** The schema of a field of a record, `undefined` if the record has no such field. */
export function fieldSchema(schema: Schema, key: string): Schema | undefined {
  const known = schema.properties && Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined;
  if (known !== undefined) return deref(known);
  if (typeof schema.additionalProperties === 'object') return deref(schema.additionalProperties);
  if (schema.additionalProperties === true || holdsAnything(schema)) return anything;
  return undefined;
}

/** True for free-form JSON: nothing is pruned in it. */
function holdsAnything(schema: Schema): boolean {
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return true;
  return (
    schema.properties === undefined && schema.additionalProperties === undefined && (schema.type === undefined || schema.type === 'object')
  );
}

export const isIntOrString = (schema: Schema): boolean =>
  schema['x-kubernetes-int-or-string'] === true || schema.format === 'int-or-string';

/** Replaced as a whole by an apply. Lists are by default, maps only when their schema says so. */
export const isAtomic = (schema: Schema, value: unknown): boolean =>
  Array.isArray(value)
    ? schema['x-kubernetes-list-type'] === undefined || schema['x-kubernetes-list-type'] === 'atomic'
    : schema['x-kubernetes-map-type'] === 'atomic';

/** The keys that name an item of a list map; a key that is absent has its default (ports without a protocol). */
export function itemKey(schema: Schema, item: JsonObject): JsonObject {
  const fields = deref(schema.items).properties ?? {};
  const key: JsonObject = {};
  for (const name of schema['x-kubernetes-list-map-keys'] ?? []) key[name] = item[name] ?? fields[name]?.default ?? null;
  return key;
}
