import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createListItems } from './list-items.ts';

/** The items and the rest of a text that comes in chunks of so many bytes. */
function read(text: string, size: number, cutsFields = false): { items: unknown[]; rest: string } {
  const items: unknown[] = [];
  const list = createListItems((item) => items.push(item), { cutsFields });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) list.push(bytes.subarray(at, at + size));
  return { items, rest: list.rest() };
}

describe('the items of a list', () => {
  const items = [
    { metadata: { name: 'ä "quoted" \\', annotations: { json: '{"items":[{"a":"}]"}]}' } }, spec: { items: [{ deep: [[{}]] }] } },
    {},
    { spec: [] },
  ];
  const list = { kind: 'List', metadata: { continue: 'é"items":[{', resourceVersion: '12' }, items };

  it.each([1, 2, 3, 7, 1_000])('are those of JSON.parse, in chunks of %i bytes', (size) => {
    for (const text of [JSON.stringify(list), JSON.stringify(list, undefined, 2)]) {
      const answer = read(text, size);
      expect(answer.items).toEqual(items);
      expect(JSON.parse(answer.rest)).toEqual({ ...list, items: [0, 0, 0] });
    }
  });

  it('are those of JSON.parse, wherever chunks end in texts that hold quotes, backslashes and brackets', () => {
    const text = fc.array(fc.constantFrom('"', '\\', '{', '}', '[', ']', 'é', 'a', '\n')).map((characters) => characters.join(''));
    fc.assert(
      fc.property(fc.array(fc.dictionary(text, text, { maxKeys: 4 })), fc.integer({ min: 1, max: 40 }), (objects, size) => {
        const answer = read(JSON.stringify({ kind: 'List', items: objects }), size);
        expect(answer.items).toEqual(objects);
        expect(JSON.parse(answer.rest)).toEqual({ kind: 'List', items: objects.map(() => 0) });
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['null', { kind: 'List', items: null }],
    ['absent', { kind: 'Status', details: { items: [{ a: 1 }] } }],
    ['empty', { items: [], 'more "items': [{ a: 1 }] }],
  ])('are none where they are %s', (_, value) => {
    const { items, rest } = read(JSON.stringify(value), 3);
    expect(items).toEqual([]);
    expect(JSON.parse(rest)).toEqual(value);
  });

  it('are refused where their text is not JSON', () => {
    expect(() => read('{"items":[{"a":]}]}', 4)).toThrow(SyntaxError);
    expect(() => JSON.parse(read('{"items":[{"a":1}{"a":2}]}', 4).rest)).toThrow(SyntaxError);
    expect(() => JSON.parse(read('{"items":[{"a":1}', 4).rest)).toThrow(SyntaxError);
  });
});

describe('the fields of managers in the items of a list', () => {
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  /** The same of parsed items. */
  const cut = (item: unknown): unknown => {
    if (!isObject(item) || !isObject(item.metadata) || !Array.isArray(item.metadata.managedFields)) return item;
    const managedFields = item.metadata.managedFields.map((entry: unknown) => {
      if (!isObject(entry) || !isObject(entry.fieldsV1)) return entry;
      const { 'f:spec': spec } = entry.fieldsV1;
      return { ...entry, fieldsV1: typeof spec === 'object' && spec !== null ? { 'f:spec': {} } : {} };
    });
    return { ...item, metadata: { ...item.metadata, managedFields } };
  };
  const entry = { manager: 'kubectl', operation: 'Update', fieldsType: 'FieldsV1', subresource: 'status', time: '2026-01-01T00:00:00Z' };
  const specific = { 'f:metadata': { 'f:labels': { '.': {} } }, 'f:spec': { 'f:template': { 'k:{"name":"f:spec"}': { '.': {} } } } };
  const items = [
    {
      metadata: {
        name: 'a',
        managedFields: [
          { ...entry, fieldsV1: specific },
          { ...entry, fieldsV1: { 'f:status': { 'f:spec': {} } } },
        ],
        uid: 'u',
      },
      spec: {},
    },
    {
      metadata: { annotations: { json: '"managedFields":[{"fieldsV1":{"f:spec":{"' }, managedFields: [] },
      data: { fieldsV1: { 'f:spec': 1 } },
    },
    {
      metadata: {
        'a"managedFields': [{ fieldsV1: { a: {} } }],
        labels: { managedFields: [{ fieldsV1: { a: {} } }] },
        managedFields: [[{ fieldsV1: { a: {} } }]],
      },
    },
    { spec: { metadata: { managedFields: [{ fieldsV1: { a: {} } }] }, managedFields: [{ fieldsV1: { a: {} } }] } },
    {
      metadata: {
        managedFields: [
          { 'b\\"fieldsV1': { a: {} }, fieldsV1: null },
          { a: { fieldsV1: { a: {} } } },
          { fieldsV1: { 'k:{"f:spec":': {}, '"f:spec': [] } },
        ],
      },
    },
    { metadata: { managedFields: { a: { fieldsV1: { a: {} } } } } },
  ];

  it.each([1, 2, 3, 7, 64, 1_000])('are left out but for their spec, and nothing else is, in chunks of %i bytes', (size) => {
    for (const text of [JSON.stringify({ items, kind: 'List' }), JSON.stringify({ items, kind: 'List' }, undefined, 2)]) {
      expect(read(text, size, true).items).toEqual(items.map(cut));
      expect(read(text, size).items).toEqual(items);
      expect(JSON.parse(read(text, size, true).rest)).toEqual({ items: items.map(() => 0), kind: 'List' });
    }
    expect(items.map(cut)[0]).toMatchObject({ metadata: { managedFields: [{ fieldsV1: { 'f:spec': {} } }, { ...entry, fieldsV1: {} }] } });
  });

  it('are left out but for their spec wherever chunks end, and objects that only look like them stay', () => {
    const key = fc.constantFrom('metadata', 'managedFields', 'fieldsV1', 'f:spec', '"fieldsV1', 'fieldsV1\\', 'a');
    const text = fc.constantFrom('', '"fieldsV1":{', '"managedFields":[{', '\\"metadata":{', '}]', 'é');
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 6, withCrossShrink: true },
        text,
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(key, tie('value'), { maxKeys: 3 }),
      ),
    }));
    const fields = fc.record({ manager: text, fieldsV1: fc.dictionary(key, value, { maxKeys: 3 }) });
    const item = fc.oneof(
      fc.dictionary(key, value, { maxKeys: 4 }),
      fc.record({
        metadata: fc.record({ name: text, managedFields: fc.array(fc.oneof(fields, value), { maxLength: 3 }), uid: text }),
        spec: value,
      }),
    );
    const indent = fc.constantFrom(undefined, 1, '\t');
    fc.assert(
      fc.property(fc.array(item, { maxLength: 4 }), fc.integer({ min: 1, max: 150 }), indent, (objects, size, space) => {
        const text = JSON.stringify({ kind: 'List', items: objects }, undefined, space);
        expect(read(text, size, true).items).toEqual(objects.map(cut));
      }),
      { numRuns: 1_000 },
    );
  });
});
