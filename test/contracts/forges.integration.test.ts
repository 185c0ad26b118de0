import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { notifierFor } from '../../src/notifiers/index.ts';
import type { AlertMessage, SendOutcome } from '../../src/notifiers/notifier.ts';
import { type ForgeServer, startForge } from '../fakes/forge-server.ts';
import { COMMIT, message } from './notifiers/notifier-case.ts';

const signal = new AbortController().signal;
const kinds = ['github', 'gitlab'] as const;
type Kind = (typeof kinds)[number];
const repository = 'org/repo';

let forges: Record<Kind, ForgeServer>;
beforeAll(async () => {
  const [github, gitlab] = await Promise.all(kinds.map((kind) => startForge({ kind, repository, commits: [COMMIT] })));
  if (!github || !gitlab) throw new Error('two forges');
  forges = { github, gitlab };
  for (const { tokens } of [github, gitlab]) {
    tokens.set('writer', 'write');
    tokens.set('reader', 'read');
  }
});
afterAll(() => Promise.all(kinds.map((kind) => forges[kind].stop())));

interface Sent extends Partial<AlertMessage> {
  token?: string;
  path?: string;
}

async function sent(kind: Kind, { token = 'writer', path = repository, ...changes }: Sent): Promise<SendOutcome> {
  const notifier = notifierFor(kind, { address: `${forges[kind].origin}/${path}`, token });
  if ('problem' in notifier) throw new Error(notifier.problem);
  return notifier.send({ ...message, ...changes }, signal);
}

describe.each(kinds)('a forge of the kind %s', (kind) => {
  it('shows a release that fails, and is promoted by a retry of the same commit', async () => {
    for (const reason of ['NewRevision', 'Failed', 'NewRevision', 'Succeeded']) expect(await sent(kind, { reason })).toEqual({ ok: true });
    expect(forges[kind].statusesOf(COMMIT).map(({ state }) => state)).toEqual(
      kind === 'github' ? ['pending', 'failure', 'pending', 'success'] : ['failed', 'success'],
    );
  });

  it('takes the same status twice, as after a lost answer', async () => {
    for (const reason of ['NewRevision', 'NewRevision', 'Superseded']) expect(await sent(kind, { reason })).toEqual({ ok: true });
    expect(forges[kind].statusesOf(COMMIT).at(-1)?.state).toBe(kind === 'github' ? 'error' : 'canceled');
  });

  it('takes texts of any length and any characters', async () => {
    for (const text of ['x'.repeat(9_999), '🚀'.repeat(9_999), '界'.repeat(9_999), '\u0000\u0001\n', ''])
      expect(await sent(kind, { text, cluster: 'c'.repeat(300), page: `https://serin.example/${'p'.repeat(500)}` })).toEqual({ ok: true });
  });

  it.each([
    { given: { token: 'unknown' }, status: 401, words: 'the token is not valid' },
    { given: { token: 'reader' }, status: 403, words: 'the token has no right to write commit statuses' },
    { given: { path: 'org/other' }, status: 404, words: 'or the token cannot see' },
    { given: { commit: 'f'.repeat(40) }, status: kind === 'github' ? 422 : 404, words: 'commit' },
  ])('refuses $given with $status, in our words', async ({ given, status, words }) => {
    const { host } = new URL(forges[kind].origin);
    const reason = expect.stringMatching(new RegExp(`^HTTP ${status} from ${host}: .*${words}`));
    expect(await sent(kind, given)).toEqual({ ok: false, mayRetry: false, reason });
  });

  it('names the whole hash as the remedy where it takes no short one', async () => {
    const outcome = await sent(kind, { commit: COMMIT.slice(0, 8), reason: 'NewRevision' });
    if (kind === 'gitlab') expect(outcome).toEqual({ ok: true });
    else expect(outcome).toMatchObject({ ok: false, reason: expect.stringContaining('name the whole hash of a pushed commit') });
  });
});
