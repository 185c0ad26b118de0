import { expect, it } from 'vitest';
import { sourceOf } from '../../../test/contracts/metric-backends/backend-case.ts';
import { stackdriver as known } from '../../../test/contracts/metric-backends/stackdriver.ts';
import { stackdriver, stackdriverAddress } from './stackdriver.ts';

const signal = new AbortController().signal;
const source = sourceOf(known, 'stackdriver', 'http://127.0.0.1:1');

it('the address of a template gets requests only with the key of its own Secret', () => {
  expect(stackdriverAddress(source)).toBe('http://127.0.0.1:1');
  expect(stackdriverAddress({ ...source, secret: { project: 'shop' } })).toBe('https://monitoring.googleapis.com');
});

it.each([
  ['a text that is not JSON', 'planted-text', /is not a JSON key of a service account/],
  ['credentials that name a program to run', '{"type":"external_account","credential_source":{"executable":{}}}', /is not a JSON key/],
])('%s is not a key', (_, serviceAccountKey, words) => {
  const made = stackdriver({ ...source, secret: { project: 'shop', serviceAccountKey } });
  expect(made).toEqual({ problem: expect.stringMatching(words) });
  expect(JSON.stringify(made)).not.toContain('planted');
});

it('a key that cannot sign is reported in words, without the key', async () => {
  const serviceAccountKey = JSON.stringify({ type: 'service_account', client_email: 'a', private_key: 'planted-key' });
  const made = stackdriver({ ...source, secret: { project: 'shop', serviceAccountKey } });
  if ('problem' in made) throw new Error(made.problem);
  expect(await made.runQuery('q', signal)).toEqual({ kind: 'error', reason: expect.stringMatching(/cannot sign: put the whole JSON key/) });
});

it('a language that Stackdriver does not support is refused', () => {
  const provider = { ...source.provider, queryLanguage: 'sql' };
  expect(stackdriver({ ...source, provider })).toMatchObject({
    problem: expect.stringContaining('neither mql nor promql'),
    placed: { field: 'spec.provider.queryLanguage' },
  });
});
