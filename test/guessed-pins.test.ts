import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import type { KubeObject } from '../src/api/kube-object.ts';
import { canonicalJson } from '../src/base/json.ts';
import { configChecksum } from '../src/workloads/configs/checksum.ts';
import { revisionWithConfigs } from '../src/workloads/configs/revision.ts';
import { deployment } from '../src/workloads/deployment/deployment.ts';
import { guessedPins, holdingPin } from './fakes/guessed-pins.ts';

const target = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: { template: { spec: { containers: [] } } },
} as KubeObject;
const checksumOf = (pin: string): string => configChecksum(holdingPin(pin));
const copyOf = (pin: string): string => {
  const { type, data } = holdingPin(pin);
  const source = { canary: 'c-1', kind: 'Secret', name: 'db', content: { data, type } };
  return createHash('sha256').update(canonicalJson(source)).digest('hex').slice(0, 10);
};
const revisionOf = (pin: string): string =>
  revisionWithConfigs(deployment.revision(target), { 'secret/db': { uid: 'u', checksum: checksumOf(pin) } });

it.each([
  { what: 'a checksum in the status', text: `{"secret/db":"${checksumOf('4711')}"}` },
  { what: 'a checksum between other hexadecimal digits', text: `ab${checksumOf('4711')}cd` },
  { what: 'the name of a copy', text: `db-primary-${copyOf('4711')}` },
  { what: 'the revision of the target', text: `"revision":"${revisionOf('4711')}"` },
])('a PIN is found by $what', ({ text }) => {
  expect(guessedPins(`${'0123456789abcdef'.repeat(4)} ${text}.`, 'db', 'c-1', target)).toEqual(['4711']);
});

it('all PINs of a text are found, and none of a text without them', () => {
  expect(guessedPins(`${checksumOf('4711')} ${copyOf('0815')}`, 'db', 'c-1', target)).toEqual(['0815', '4711']);
  expect(guessedPins(`${copyOf('0815')}`, 'other', 'c-1', target)).toEqual([]);
});
