/**
 * Writes src/embedded/apiserver/kinds.json: the schemas of the built-in kinds, from the OpenAPI v2 document that Kubernetes publishes
 * (`api/openapi-spec/swagger.json` of a release), without texts and without everything that no served kind refers to.
 * Usage: node scripts/embedded/generate-kinds.ts path/to/swagger.json v1.36.3
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { builtinKinds } from '../../src/embedded/apiserver/builtin-kinds.ts';
import type { Schema } from '../../src/embedded/apiserver/schema.ts';

interface Swagger {
  info: { version: string };
  definitions: Record<string, Schema & { 'x-kubernetes-group-version-kind'?: { group: string; version: string; kind: string }[] }>;
}

const [, , source, version = 'v0.0.0'] = process.argv;
if (source === undefined) throw new Error('usage: node scripts/embedded/generate-kinds.ts path/to/swagger.json');
const swagger = JSON.parse(readFileSync(source, 'utf8')) as Swagger;
const kept: Record<string, unknown> = {};

/** `io.k8s.api.core.v1.Pod` stays long: kubectl shows these names nowhere, and short ones collide between groups. */
function keep(name: string): void {
  if (name in kept) return;
  kept[name] = null;
  kept[name] = trimmed(swagger.definitions[name] ?? {});
}

function trimmed(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => trimmed(item));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(
    ([name]) => key === 'properties' || !(name === 'description' || name === 'title' || name === 'x-kubernetes-unions'),
  );
  return Object.fromEntries(
    entries.map(([name, child]) => {
      if (name !== '$ref' || typeof child !== 'string') return [name, trimmed(child, key === 'properties' ? '' : name)];
      const target = child.replace('#/definitions/', '');
      keep(target);
      return [name, target];
    }),
  );
}

const kinds: Record<string, string> = {};
for (const { group, version: groupVersion, kind } of builtinKinds) {
  const found = Object.entries(swagger.definitions).find(([, schema]) =>
    schema['x-kubernetes-group-version-kind']?.some((gvk) => gvk.group === group && gvk.version === groupVersion && gvk.kind === kind),
  );
  if (found === undefined) throw new Error(`${group}/${groupVersion} ${kind} is not in ${source}`);
  keep(found[0]);
  kinds[`${group}/${groupVersion}/${kind}`] = found[0];
}
// OpenAPI v2 cannot express these; v3 does. The protocol is part of the key of a port, and a quantity can be written as a number.
for (const port of ['ContainerPort', 'ServicePort']) {
  const fields = (kept[`io.k8s.api.core.v1.${port}`] as Schema).properties;
  if (fields?.protocol !== undefined) fields.protocol.default = 'TCP';
}
kept['io.k8s.apimachinery.pkg.api.resource.Quantity'] = { type: 'string', format: 'quantity' };
const text = JSON.stringify({ version, kinds, definitions: kept });
writeFileSync(new URL('../../src/embedded/apiserver/kinds.json', import.meta.url), `${text}\n`);
