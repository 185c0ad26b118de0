import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/kube-object.ts';
import { configChecksum, secretChecksum } from './checksum.ts';
import { allMarked, allUnsalted, hasTrackedSecret, marksOf, type SecretMarks } from './read-marks.ts';
import { Salt } from './salt.ts';

const SECRET_TEXT = 'hunter2-do-not-show';
const salt = Salt.of(['now']);
const lost = Salt.of(['lost']);
const object = (kind: string, name: string, fields: Partial<KubeObject> = {}, resourceVersion = '7'): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace: 'shop', uid: `u-${name}`, resourceVersion },
  ...fields,
});
const db = (password: string, resourceVersion = '7') => object('Secret', 'db', { type: 'Opaque', data: { password } }, resourceVersion);
const marks = (more: Partial<SecretMarks> = {}): SecretMarks => ({ salt, isPromoted: true, copyOf: async () => undefined, ...more });
const KEY = 'secret/db';

/** The checksum that counts for this Secret beside its record. */
async function counts(found: KubeObject, recorded: object, given = marks()): Promise<string | undefined> {
  const read = await marksOf(new Map([[KEY, found]]), { [KEY]: recorded }, given);
  return allMarked(read, { [KEY]: recorded })[KEY]?.checksum;
}

it('E140: remembers identity, version and checksum, never the content, and of a Secret nothing that allows guesses', async () => {
  const found = new Map([
    ['secret/db' as const, db('czNjcmV0')],
    ['secret/regcred' as const, object('Secret', 'regcred', { type: 'kubernetes.io/dockerconfigjson', data: { x: SECRET_TEXT } })],
    ['configmap/settings' as const, object('ConfigMap', 'settings', { data: { color: 'blue' } })],
    ['configmap/maybe' as const, undefined],
  ]);
  const read = await marksOf(found, {}, marks());
  expect(allMarked(read, {})).toEqual({
    'secret/db': { uid: 'u-db', resourceVersion: '7', checksum: secretChecksum(db('czNjcmV0'), salt) },
    'secret/regcred': { uid: 'u-regcred', resourceVersion: '7' },
    'configmap/settings': { uid: 'u-settings', resourceVersion: '7', checksum: 'f234cb93c08ad64e' },
    'configmap/maybe': {},
  });
  expect(allUnsalted(read)['secret/db']?.checksum).toBe('b4f1332af1fc9e1c');
});

it.each([
  { what: 'a tracked Secret', found: db('x'), needed: true },
  { what: 'a Secret of another type', found: object('Secret', 'db', { type: 'kubernetes.io/dockerconfigjson' }), needed: false },
  { what: 'a ConfigMap', found: object('ConfigMap', 'a'), needed: false },
  { what: 'nothing', found: undefined, needed: false },
])('E140: $what needs a salt: $needed', ({ found, needed }) => expect(hasTrackedSecret(new Map([['secret/db', found]]))).toBe(needed));

describe('E141: beside a record without a salt', () => {
  const recorded = { uid: 'u-db', resourceVersion: '5', checksum: configChecksum(db('old')) };

  it('the same content keeps the recorded checksum, so that an upgrade starts no release', async () =>
    expect(await counts(db('old'), recorded)).toBe(recorded.checksum));

  it('other content is marked by the salt', async () => expect(await counts(db('new'), recorded)).toBe(secretChecksum(db('new'), salt)));
});

it('E141: beside a record of the same salt the content decides', async () => {
  const recorded = { uid: 'u-db', resourceVersion: '5', checksum: secretChecksum(db('old'), salt) };
  expect(await counts(db('old'), recorded)).toBe(recorded.checksum);
  expect(await counts(db('new'), recorded)).toBe(secretChecksum(db('new'), salt));
});

describe('E142: beside a record whose salt is lost', () => {
  const recorded = { uid: 'u-db', resourceVersion: '5', checksum: secretChecksum(db('old'), lost) };
  const restored = { ...recorded, uid: 'u-before' };
  const copyOf = (password: string) => async () => db(password);

  it.each([
    { what: 'the very object', found: db('old', '5'), record: recorded, given: {}, same: true },
    { what: 'one that the copy equals', found: db('old'), record: recorded, given: { copyOf: copyOf('old') }, same: true },
    { what: 'one that the copy differs from', found: db('new'), record: recorded, given: { copyOf: copyOf('old') }, same: false },
    {
      what: 'one of a backup that the copy differs from',
      found: db('new'),
      record: restored,
      given: { copyOf: copyOf('old') },
      same: false,
    },
    { what: 'one that was written since, without a copy', found: db('old'), record: recorded, given: {}, same: false },
    { what: 'one of a backup, without a copy', found: db('old'), record: restored, given: {}, same: true },
    {
      what: 'one of a backup, where the copy holds another revision',
      found: db('new'),
      record: restored,
      given: { copyOf: copyOf('old'), isPromoted: false },
      same: true,
    },
    {
      what: 'one that was written since, where the copy holds another revision',
      found: db('new'),
      record: recorded,
      given: { copyOf: copyOf('old'), isPromoted: false },
      same: false,
    },
  ])('$what is the same: $same', async ({ found, record, given, same }) =>
    expect(await counts(found, record, marks(given))).toBe(same ? recorded.checksum : secretChecksum(found, salt)),
  );
});

it('E142: a Secret that was found to be unchanged is compared with that state from then on', async () => {
  const recorded = { [KEY]: { uid: 'u-before', resourceVersion: '5', checksum: secretChecksum(db('old'), lost) } };
  const read = (password: string, resourceVersion: string, before = new Map()) =>
    marksOf(new Map([[KEY, db(password, resourceVersion)]]), recorded, marks(), before);
  const first = await read('old', '7');
  const ofNext = async (password: string) => allMarked(await read(password, '8', new Map(first)), recorded)[KEY]?.checksum;
  expect(await ofNext('old')).toBe(recorded[KEY].checksum);
  expect(await ofNext('new')).toBe(secretChecksum(db('new'), salt));
});

it('E131: a Secret that has become live counts with its recorded state', async () => {
  const recorded = { uid: 'u-db', resourceVersion: '5', checksum: secretChecksum(db('old'), salt) };
  const live = { ...db('new'), metadata: { ...db('new').metadata, annotations: { 'flagger.app/config-tracking': 'disabled' } } };
  expect(await counts(live, recorded)).toBe(recorded.checksum);
});
