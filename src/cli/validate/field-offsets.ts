import { type Document, isMap, isNode, isScalar, isSeq, type YAMLMap } from 'yaml';

/** Offsets of the fields of one document. A map is looked through once, not once for each of its findings. */
export class FieldOffsets {
  readonly #document: Document;
  readonly #fields = new Map<YAMLMap, ReadonlyMap<string, unknown>>();

  constructor(document: Document) {
    this.#document = document;
  }

  /** The offset of a field, or of the nearest one around it that is written. */
  of(steps: readonly (string | number)[]): number {
    let node: unknown = this.#document.contents;
    let offset = offsetOf(node) ?? 0;
    for (const step of steps) {
      node = isSeq(node) ? node.items[Number(step)] : isMap(node) ? this.#fieldsOf(node).get(String(step)) : undefined;
      if (node === undefined) break;
      offset = offsetOf(node) ?? offset;
    }
    return offset;
  }

  #fieldsOf(map: YAMLMap): ReadonlyMap<string, unknown> {
    const known = this.#fields.get(map) ?? new Map(map.items.map(({ key, value }) => [String(isScalar(key) ? key.value : key), value]));
    this.#fields.set(map, known);
    return known;
  }
}

const offsetOf = (node: unknown): number | undefined => (isNode(node) ? node.range?.[0] : undefined);
