import { expect, it } from 'vitest';
import { formats } from './index.ts';

const settings = { address: 'http://hook/', channel: 'c', username: 'u' };
const message = { key: 'k', canary: { name: 'app', namespace: 'shop' }, severity: 'info', reason: 'R', text: 't', fields: [] } as const;

it.each(Object.entries(formats))('I16: %s takes an alert of any time that a status can list', (_, format) => {
  for (const atMs of [1e300, -1e300, 8.64e15 + 1, Number.MAX_VALUE])
    expect(() => format.body({ ...message, atMs }, settings)).not.toThrow();
  expect(JSON.stringify(format.body({ ...message, atMs: 1e300 }, settings))).not.toContain('+');
});
