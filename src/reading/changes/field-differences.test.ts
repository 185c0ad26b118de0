import { expect, it } from 'vitest';
import { fieldDifferences } from './field-differences.ts';

it('names each field with both values, and entries by their names', () => {
  const promoted = {
    template: {
      spec: {
        containers: [
          { name: 'web', image: 'web:1' },
          { name: 'proxy', image: 'p' },
        ],
      },
    },
    paused: false,
  };
  const target = {
    template: {
      metadata: { annotations: { 'a/b': 'c' } },
      spec: {
        containers: [
          { name: 'proxy', image: 'p' },
          { name: 'web', image: 'web:2' },
        ],
      },
    },
    paused: false,
  };
  expect(fieldDifferences(promoted, target)).toEqual([
    { field: 'template.metadata', target: '{"annotations":{"a/b":"c"}}' },
    { field: 'template.spec.containers[web].image', promoted: '"web:1"', target: '"web:2"' },
  ]);
});

it('compares lists without names by place, and says nothing where nothing differs', () => {
  expect(fieldDifferences({ args: ['a', 'b'] }, { args: ['a', 'c', 'd'] })).toEqual([
    { field: 'args[1]', promoted: '"b"', target: '"c"' },
    { field: 'args[2]', target: '"d"' },
  ]);
  expect(fieldDifferences({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] })).toEqual([]);
});
