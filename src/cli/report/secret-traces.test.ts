import { expect, it } from 'vitest';
import { SecretTraces } from './secret-traces.ts';

const revision = (digit: string) => `s1:${digit.repeat(64)}`;
const status = {
  trackedConfigs: { 'configmap/settings': 'f234cb93c08ad64e', 'secret/db': 'b4f1332af1fc9e1c' },
  release: { revision: revision('a'), configs: { 'secret/mail': { uid: 'u', checksum: '0123456789abcdef' }, 'secret/gone': {} } },
};

function traces(): SecretTraces {
  const seen = new SecretTraces();
  seen.see([{ kind: 'Canary', status }]);
  return seen;
}

it('E140: a report has no checksum of a Secret, salted or not, in any place; checksums of ConfigMaps stay', () => {
  const text = `${JSON.stringify(status)} was b4f1332af1fc9e1c, is 01234567.${'ab'.repeat(16)}`;
  expect(traces().hide(text)).toBe(
    `{"trackedConfigs":{"configmap/settings":"f234cb93c08ad64e","secret/db":"***"},"release":{"revision":"s1:revision-1","configs":{"secret/mail":{"uid":"u","checksum":"***"},"secret/gone":{}}}} was ***, is ***`,
  );
});

it('E140: revisions are numbers, the same in all files and for their first digits as events show them', () => {
  const seen = traces();
  expect(seen.hide(`${revision('a')} ${revision('b')} 3/${revision('a')}/2`)).toBe('s1:revision-1 s1:revision-2 3/s1:revision-1/2');
  expect(seen.hide(`Revision ${revision('b').slice(0, 15)}`)).toBe('Revision s1:revision-2');
});

it('E140: names of copies are numbers, the same in all files; other names stay', () => {
  const seen = traces();
  expect(seen.hide('db-primary-0123456789, web-primary-0123456789a, a-primary, db-primary-absent')).toBe(
    'db-primary-copy-1, web-primary-0123456789a, a-primary, db-primary-absent',
  );
  expect(seen.hide('"db-primary-0123456789" mail-primary-9876543210')).toBe('"db-primary-copy-1" mail-primary-copy-2');
});
