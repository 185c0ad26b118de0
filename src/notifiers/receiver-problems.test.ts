import { expect, it } from 'vitest';
import { alertProviders } from '../api/alert-provider.ts';
import { receiverProblems } from './receiver-problems.ts';

it.each(alertProviders)('an AlertProvider of type %s has no problem with an address, or a Secret that holds it', (type) => {
  expect(receiverProblems({ type, address: 'https://chat.example/hook' })).toEqual([]);
  expect(receiverProblems({ type, secretRef: { name: 'chat' } })).toEqual([]);
});

it('an invalid address and an invalid proxy are problems, and their text is not repeated', () => {
  expect(receiverProblems({ type: 'slack', address: 'hooks.slack.com/s3cret', proxy: 'me:s3cret@proxy' })).toEqual([
    { path: 'spec.address', message: expect.stringMatching(/^(?!.*s3cret).*an http or https URL/) },
    { path: 'spec.proxy', message: expect.stringMatching(/^(?!.*s3cret).*an http or https URL/) },
  ]);
});
