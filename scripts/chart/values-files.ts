import { Document, isMap, type Scalar, stringify, type YAMLMap } from 'yaml';
import * as z from 'zod';

interface Node {
  description?: string;
  default?: unknown;
  properties?: Record<string, Node>;
  [keyword: string]: unknown;
}

/** The schema that Helm checks values against; a value with a default can be left out, and `null` removes a default. */
export function valuesSchema(values: z.ZodType): Node {
  const { $schema: _, ...schema } = z.toJSONSchema(values, { target: 'draft-7', io: 'input' }) as Node;
  return { $schema: 'http://json-schema.org/draft-07/schema#', ...optional(schema) };
}

/** Nothing has to be said: the defaults are in values.yaml. */
function optional(node: Node): Node {
  const { required: _, properties, ...rest } = node;
  if (!properties) return rest;
  return { ...rest, properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, optional(each)])) };
}

/** values.yaml: every default, with its description above it. */
export function valuesYaml(schema: Node): string {
  const document = new Document(defaultsOf(schema));
  describe(document.contents as YAMLMap, schema);
  return document.toString({ lineWidth: 140 });
}

function defaultsOf(node: Node): unknown {
  if (!node.properties) return node.default;
  return Object.fromEntries(Object.entries(node.properties).map(([name, each]) => [name, defaultsOf(each)]));
}

function describe(map: YAMLMap, { properties = {} }: Node): void {
  for (const [index, { key, value }] of map.items.entries()) {
    const scalar = key as Scalar<string>;
    const node = properties[scalar.value];
    if (!node) continue;
    if (node.description) scalar.commentBefore = ` ${node.description}`;
    if (index > 0 && node.properties) scalar.spaceBefore = true;
    if (node.properties && isMap(value)) describe(value as YAMLMap, node);
  }
}

/** One row for each value that can be set. */
export function valuesTable(schema: Node): string {
  const rows = rowsOf(schema, '').map(([name, otherwise, about]) => `| \`${name}\` | \`${otherwise}\` | ${about} |`);
  return ['| value | default | meaning |', '|---|---|---|', ...rows].join('\n');
}

function rowsOf({ properties = {} }: Node, prefix: string): [string, string, string][] {
  return Object.entries(properties).flatMap(([name, node]): [string, string, string][] =>
    node.properties
      ? rowsOf(node, `${prefix}${name}.`)
      : [[`${prefix}${name}`, inOneLine(node.default), (node.description ?? '').replaceAll('|', '\\|')]],
  );
}

const inOneLine = (value: unknown): string => stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trim();
