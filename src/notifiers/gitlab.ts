import { isRecord, parseJson } from '../base/json.ts';
import { type CommitState, commitStatus, hashOf, marking, refusalIn, repositoryPath } from './commit-status.ts';
import type { AlertFormat } from './notifier.ts';

const states: Readonly<Record<CommitState, string>> = {
  progressing: 'running',
  promoted: 'success',
  failed: 'failed',
  dropped: 'canceled',
};
const limits = { name: 255, description: 255, link: 255 };

const words = {
  400: 'GitLab does not accept this status for the commit',
  401: 'the token is not valid: put another one into the key token of its Secret',
  403: 'the token has no right to write commit statuses: give it the scope api and the role Developer',
  404: 'the project or the commit does not exist, or the token cannot see the project: correct the address or the commit, or give the token access',
};

/** The commit has the state already; another process, or an attempt without an answer, has set it. */
function isSetAlready(body: string): boolean {
  const answer = parseJson(body);
  const said = isRecord(answer) ? String(answer.message) : '';
  const [, state] = /Cannot transition status via :\w+ from :(\w+)/.exec(said) ?? [];
  return state !== undefined && said.length < 1_000 && state === 'running';
}

/** Commit statuses of GitLab. The address is that of the project, as in a Provider of Flux. Source: GitLab REST API, "Set commit pipeline status". */
export const gitlab: AlertFormat = {
  ...marking,
  tokenHeader: 'private-token',
  problemOf({ token }, address) {
    if (repositoryPath(address).length < 2) return 'the address must be that of a project, such as https://gitlab.com/group/project';
    return token === undefined ? 'it has no token: name a Secret whose key token may write commit statuses' : undefined;
  },
  url(address, message) {
    const url = new URL(address.origin);
    const path = repositoryPath(address).join('/');
    url.pathname = `/api/v4/projects/${path.replaceAll('/', '%2F')}/statuses/${hashOf(message)}`;
    return url;
  },
  body(message) {
    const { state, name, description, link } = commitStatus(message, limits);
    return { state: states[state], name, description, ...(link === undefined ? {} : { target_url: link }) };
  },
  refusal({ status, body, message }) {
    if (status === 400 && commitStatus(message, limits).state === 'progressing' && isSetAlready(body)) return 'accepted';
    // Two statuses of one pipeline at the same time.
    if (status === 409) return { words: 'another status is being written', mayRetry: true };
    return refusalIn(status, words);
  },
};
