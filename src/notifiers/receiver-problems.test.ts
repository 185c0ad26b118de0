import { expect, it } from 'vitest';
import { alertProviders } from '../api/alert-provider.ts';
import { receiverProblems } from './receiver-problems.ts';

it.each(alertProviders)('an AlertProvider of type %s has no problem with an address, or a Secret that holds it', (type) => {
  const secretRef = { name: 'chat' };
  expect(receiverProblems({ type, address: 'https://chat.example/group/hook', secretRef })).toEqual([]);
  expect(receiverProblems({ type, secretRef: { name: 'chat' } })).toEqual([]);
});

it('an invalid address and an invalid proxy are problems, and their text is not repeated', () => {
  expect(receiverProblems({ type: 'slack', address: 'hooks.slack.com/s3cret', proxy: 'me:s3cret@proxy' })).toEqual([
    { path: 'spec.address', message: expect.stringMatching(/^(?!.*s3cret).*an http or https URL/) },
    { path: 'spec.proxy', message: expect.stringMatching(/^(?!.*s3cret).*an http or https URL/) },
  ]);
});

it.each([
  {
    type: 'github',
    address: 'https://github.com/org',
    problem: 'the address must be that of a repository, such as https://github.com/org/repo',
  },
  {
    type: 'github',
    address: 'https://github.com/org/repo/tree',
    problem: 'the address must be that of a repository, such as https://github.com/org/repo',
  },
  {
    type: 'gitlab',
    address: 'https://gitlab.com/group',
    problem: 'the address must be that of a project, such as https://gitlab.com/group/project',
  },
] as const)('the address $address of a $type is a problem', ({ type, address, problem }) => {
  expect(receiverProblems({ type, address, secretRef: { name: 'token' } })).toEqual([{ path: 'spec.address', message: problem }]);
});

it.each(['github', 'gitlab'] as const)('%s without a Secret has no token, which is a problem', (type) => {
  expect(receiverProblems({ type, address: 'https://forge.example/org/repo.git' })).toEqual([
    { path: 'spec.secretRef', message: 'is absent: name a Secret whose key token may write commit statuses' },
  ]);
});
