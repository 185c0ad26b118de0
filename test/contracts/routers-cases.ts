import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import type { Canary } from '../../src/api/canary.ts';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { ownerAnnotation } from '../../src/api/names.ts';
import type { Routes } from '../../src/api/routes.ts';
import type { Apex } from '../../src/routers/router.ts';
import { parsedCanary } from '../fakes/parsed-canary.ts';
import { raw } from '../fakes/raw.ts';

/** A Canary `shop` in `prod`; `spec` and its `service` and `analysis` are laid over the defaults. */
export function aCanary(spec: { service?: object; analysis?: object; [field: string]: unknown } = {}): Canary {
  const { service, analysis, ...rest } = spec;
  return parsedCanary(
    { service: { port: 8080, ...service }, analysis: { interval: '1m', threshold: 5, ...analysis }, ...rest },
    { name: 'shop', namespace: 'prod' },
  );
}

export const anApex: Apex = {
  selector: { key: 'app', target: 'shop', primary: 'shop-primary' },
  ports: [{ name: 'http', port: 8080, targetPort: 8080, protocol: 'TCP' }],
};

/** A rendered object as the controller writes it: with its mark, unless it is a part of a route of the user's. */
export function asMade(object: KubeObject): KubeObject {
  if (Object.keys(object.metadata).length === 2) return object;
  return { ...object, metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, [ownerAnnotation]: 'c-1' } } };
}

export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}

export interface GoldenCase {
  name: string;
  note: string;
  provider?: string;
  canary: Canary;
  apex: Apex;
  routes: Routes;
  current: KubeObject[];
  apexOnPrimary?: boolean;
  target?: KubeObject;
  /** The user's scaler, and the minimum of pods for a release. */
  scaler?: KubeObject;
  atLeast?: number;
}

const golden = new URL('../golden/', import.meta.url);

/** `<name>.input.yaml` of one folder: `spec` is laid over `aCanary`, `annotations` are the Canary's, all other fields are used unmodified. */
export function casesIn(folder: string): GoldenCase[] {
  const path = new URL(`${folder}/`, golden);
  const inputs = (existsSync(path) ? readdirSync(path) : []).filter((file) => file.endsWith('.input.yaml')).sort();
  if (inputs.length === 0)
    throw new Error(
      `test/golden/${folder} holds no case: write one as NAME.input.yaml, as test/golden/contour has them, and run npm run test:update`,
    );
  return inputs.map((file) => {
    const input = parse(readFileSync(new URL(`${folder}/${file}`, golden), 'utf8'));
    const parts = { apex: anApex, current: [], routes: { kind: 'weighted', canary: 0 }, ...input };
    const canary = aCanary(input.spec);
    if (input.annotations) canary.metadata.annotations = input.annotations;
    return { ...parts, name: file.replace('.input.yaml', ''), canary };
  });
}

export const goldenFile = (folder: string, name: string) => new URL(`${folder}/${name}.output.yaml`, golden).pathname;

export function toYaml(objects: readonly object[]): string {
  return objects.map((object) => stringify(object, { aliasDuplicateObjects: false, lineWidth: 0 })).join('---\n');
}

const published = new URL('../fixtures/published-crds/', import.meta.url);

/** The CRDs of a provider as its project publishes them, trimmed; the README beside them says from where. */
export function publishedCrds(provider: string): KubeObject[] {
  return JSON.parse(readFileSync(new URL(`${provider}.json`, published), 'utf8'));
}

interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  enum?: unknown[];
  required?: string[];
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  'x-kubernetes-int-or-string'?: boolean;
}

/** Errors by a structural schema: unknown fields, types, enums, missing fields. No formats, patterns or CEL. */
export function structuralErrors(object: KubeObject, crds: readonly KubeObject[]): string[] {
  const [group, version] = object.apiVersion.split('/');
  const crd = crds.find((one) => raw(one).spec.group === group && raw(one).spec.names.kind === object.kind);
  const served = raw(crd)?.spec.versions.find((one: { name: string }) => one.name === version);
  if (!served) return [`${object.kind} ${object.apiVersion} is not published`];
  return errorsIn(object.spec, served.schema.openAPIV3Schema.properties.spec, 'spec');
}

function errorsIn(value: unknown, schema: Schema, path: string): string[] {
  if (schema['x-kubernetes-int-or-string'])
    return ['number', 'string'].includes(typeof value) ? [] : [`${path}: neither number nor string`];
  const type = Array.isArray(value) ? 'array' : typeof value === 'number' ? (Number.isInteger(value) ? 'integer' : 'number') : typeof value;
  if (schema.type && type !== schema.type && !(schema.type === 'number' && type === 'integer'))
    return [`${path}: ${type}, not ${schema.type}`];
  if (schema.enum && !schema.enum.includes(value)) return [`${path}: ${String(value)} is none of ${schema.enum.join(', ')}`];
  if (Array.isArray(value)) return value.flatMap((item, index) => (schema.items ? errorsIn(item, schema.items, `${path}[${index}]`) : []));
  if (typeof value !== 'object' || value === null) return [];
  const missing = (schema.required ?? []).filter((field) => !(field in value)).map((field) => `${path}.${field}: missing`);
  return missing.concat(
    Object.entries(value).flatMap(([field, inner]) => {
      const known =
        schema.properties?.[field] ?? (typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined);
      if (known) return errorsIn(inner, known, `${path}.${field}`);
      return schema['x-kubernetes-preserve-unknown-fields'] || schema.additionalProperties === true
        ? []
        : [`${path}.${field}: unknown field`];
    }),
  );
}
