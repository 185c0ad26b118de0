import { COMMIT, type NotifierCase, page } from './notifier-case.ts';

export const github: NotifierCase = {
  showsAsItIs: true,
  path: `/api/v3/repos/hook/s3cret-path/statuses/${COMMIT}`,
  payload: { state: 'failure', context: 'serin/test/podinfo', description: 'Release of podinfo.test was rolled back: <b> & co' },
  link: { target_url: page },
  severity: { error: '"state":"failure"', warn: '"state":"failure"' },
  takesToken: true,
  marksCommits: true,
  isSigned: false,
  readsBody: false,
  refusals: {
    401: ': the token is not valid: put another one into the key token of its Secret',
    403: ': the token has no right to write commit statuses: give it that right for the repository',
    404: ': the repository does not exist, or the token cannot see it: correct the address, or give the token access',
  },
  docs: {
    is: '[commit statuses](#commit-statuses) of GitHub or GitHub Enterprise; the address is that of the repository',
    keys: '`token`, or `address` and `token`',
  },
  title: 'GitHub',
  limits: { texts: { description: 140 } },
};
