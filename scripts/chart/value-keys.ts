/** Keys that the values of a chart can have: below each key its own keys, for a list the keys of each entry; `null` accepts any value. */
export type ValueKeys = { [key: string]: ValueKeys } | [ValueKeys] | null;

interface Node {
  properties?: Record<string, Node>;
  additionalProperties?: unknown;
  items?: Node;
}

/** By the schema that Helm checks values against. */
export function valueKeys({ properties, additionalProperties, items }: Node): ValueKeys {
  if (items) {
    const each = valueKeys(items);
    return each === null ? null : [each];
  }
  if (!properties || additionalProperties !== false) return null;
  return Object.fromEntries(Object.entries(properties).map(([key, node]) => [key, valueKeys(node)]));
}
