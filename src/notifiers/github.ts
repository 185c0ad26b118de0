import { type CommitState, commitStatus, hashOf, marking, refusalIn, repositoryPath } from './commit-status.ts';
import type { AlertFormat } from './notifier.ts';

const states: Readonly<Record<CommitState, string>> = { progressing: 'pending', promoted: 'success', failed: 'failure', dropped: 'error' };
const limits = { name: 255, description: 140, link: 1_000 };

const words = {
  401: 'the token is not valid: put another one into the key token of its Secret',
  403: 'the token has no right to write commit statuses: give it that right for the repository',
  404: 'the repository does not exist, or the token cannot see it: correct the address, or give the token access',
  422: 'the repository has no such commit, or its limit of 1000 statuses is reached: name the whole hash of a pushed commit',
};

/**
 * Commit statuses of GitHub, of GitHub Enterprise Server, and of GHE.com. The address is that of the repository, as in a Provider of Flux. Source: GitHub REST
 * API, "Create a commit status".
 */
export const github: AlertFormat = {
  ...marking,
  headers: { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' },
  problemOf({ token }, address) {
    if (repositoryPath(address).length !== 2) return 'the address must be that of a repository, such as https://github.com/org/repo';
    return token === undefined ? 'it has no token: name a Secret whose key token may write commit statuses' : undefined;
  },
  url(address, message) {
    const url = new URL(address.origin);
    const [owner = '', repository = ''] = repositoryPath(address);
    const isEnterprise = url.hostname !== 'github.com' && !url.hostname.endsWith('.ghe.com');
    if (!isEnterprise) url.hostname = `api.${url.hostname}`;
    url.pathname = `${isEnterprise ? '/api/v3' : ''}/repos/${owner}/${repository}/statuses/${hashOf(message)}`;
    return url;
  },
  body(message) {
    const { state, name, description, link } = commitStatus(message, limits);
    return { state: states[state], context: name, description, ...(link === undefined ? {} : { target_url: link }) };
  },
  refusal({ status, headers }) {
    const isLimit = status === 403 && (headers['retry-after'] !== undefined || headers['x-ratelimit-remaining'] === '0');
    return isLimit ? { words: 'its limit of requests is reached', mayRetry: true } : refusalIn(status, words);
  },
};
