import { COMMIT, type NotifierCase, page } from './notifier-case.ts';

export const gitlab: NotifierCase = {
  showsAsItIs: true,
  path: `/api/v4/projects/hook%2Fs3cret-path/statuses/${COMMIT}`,
  payload: { state: 'failed', name: 'serin/test/podinfo', description: 'Release of podinfo.test was rolled back: <b> & co' },
  link: { target_url: page },
  severity: { error: '"state":"failed"', warn: '"state":"failed"' },
  takesToken: true,
  tokenHeader: 'private-token',
  marksCommits: true,
  isSigned: false,
  readsBody: false,
  refusals: {
    400: ': GitLab does not accept this status for the commit',
    401: ': the token is not valid: put another one into the key token of its Secret',
    403: ': the token has no right to write commit statuses: give it the scope api and the role Developer',
    404: ': the project or the commit does not exist, or the token cannot see the project: correct the address or the commit, or give the token access',
  },
  docs: {
    is: '[commit statuses](#commit-statuses) of GitLab; the address is that of the project',
    keys: '`token` (PRIVATE-TOKEN), or `address` and `token`',
  },
  title: 'GitLab',
  limits: { texts: { name: 255, description: 255, target_url: 255 } },
};
