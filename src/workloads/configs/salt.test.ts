import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { secretChecksum } from './checksum.ts';
import { readSalt, Salt, saltIdOf, saltType } from './salt.ts';

const canary = { metadata: { name: 'podinfo', namespace: 'test', uid: 'c-1', generation: 1, resourceVersion: '1' } };
const owner = { apiVersion: 'apps/v1', kind: 'ControllerRevision', name: 'podinfo-serin-anchor', uid: 'a-1' };
const salt = Salt.of(['one', 'two']);
const kept = salt.render(canary, owner);

it('E140: a salt is kept in a Secret of its own type that the anchor owns, and is the same when it is read', () => {
  expect(kept).toMatchObject({
    kind: 'Secret',
    metadata: { name: 'podinfo-serin-salt', namespace: 'test', ownerReferences: [owner], annotations: { 'serin.dev/canary-uid': 'c-1' } },
    type: saltType,
    immutable: true,
  });
  const again = readSalt(kept);
  expect([again?.id, again?.mark('x')]).toEqual([salt.id, salt.mark('x')]);
});

it.each([
  { what: 'another type', secret: { ...kept, type: 'Opaque' } },
  { what: 'no data', secret: { ...kept, data: undefined } },
  { what: 'a short value', secret: { ...kept, data: { salt: 'AAAA' } } },
  { what: 'a number as its value', secret: { ...kept, data: { salt: 7 } } },
])('E140: a Secret with $what keeps no salt', ({ secret }) => expect(readSalt(secret)).toBeUndefined());

it('E140: another salt has another id and other marks, and each mark says which salt made it', () => {
  const other = Salt.of(['one', 'three']);
  expect(other.id).not.toBe(salt.id);
  expect(other.mark('x').slice(9)).not.toBe(salt.mark('x').slice(9));
  expect([salt, other].map((one) => saltIdOf(one.mark('x')))).toEqual([salt.id, other.id]);
});

it.each(['b4f1332af1fc9e1c', '', undefined, `${'a'.repeat(8)}.${'b'.repeat(31)}`])('E140: %s was made by no salt', (checksum) =>
  expect(saltIdOf(checksum)).toBeUndefined(),
);

it('E140: Secrets of other names have other checksums for the same content', () => {
  const of = (name: string) => secretChecksum({ metadata: { name }, data: { pin: 'MTIzNA==' } }, salt);
  expect(of('a')).not.toBe(of('b'));
  expect(of('a')).toBe(of('a'));
});

it('E140: neither a log nor JSON shows the bytes', () => {
  const bytes = Buffer.from('k'.repeat(32));
  const shown = `${inspect(new Salt(bytes), { depth: 9 })} ${JSON.stringify(new Salt(bytes))}`;
  for (const form of ['utf8', 'hex', 'base64'] as const) expect(shown).not.toContain(bytes.toString(form));
});
