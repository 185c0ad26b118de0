import { describe, expect, it } from 'vitest';
import { missingField } from './drift.ts';

describe('missingField', () => {
  it.each([
    {
      name: 'server defaults beside ours are no drift',
      wanted: { spec: { ports: [{ port: 80 }] } },
      live: { spec: { ports: [{ port: 80, nodePort: 3 }], type: 'ClusterIP' } },
      missing: undefined,
    },
    { name: 'a changed leaf', wanted: { spec: { port: 80 } }, live: { spec: { port: 81 } }, missing: 'spec.port' },
    { name: 'an extra list item', wanted: { hosts: ['a'] }, live: { hosts: ['a', 'b'] }, missing: 'hosts' },
    {
      name: 'a foreign selector key',
      wanted: { spec: { selector: { app: 'x' } } },
      live: { spec: { selector: { app: 'x', tier: 'y' } } },
      missing: 'spec.selector.tier',
    },
    {
      name: 'a foreign annotation',
      wanted: { metadata: { annotations: { a: '1' } } },
      live: { metadata: { annotations: { a: '1', b: '2' } } },
      missing: undefined,
    },
    { name: 'an empty map that the server left out', wanted: { spec: { labels: {} } }, live: { spec: {} }, missing: undefined },
  ])('$name → $missing', ({ wanted, live, missing }) => expect(missingField(wanted, live)).toBe(missing));
});
