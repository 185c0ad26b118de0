import { expect, it } from 'vitest';
import { reviewToken } from './token-review.ts';

const answering = (status: object) => ({ create: async (object: object) => ({ ...object, status }) as never });
const authenticated = { authenticated: true, user: { username: 'ann' } };

it('a token is of no audience that the API server does not name', async () => {
  expect(await reviewToken(answering(authenticated), 'token', 'serin')).toBeUndefined();
  expect(await reviewToken(answering({ ...authenticated, audiences: ['vault'] }), 'token', 'serin')).toBeUndefined();
  expect(await reviewToken(answering({ ...authenticated, audiences: ['vault', 'serin'] }), 'token', 'serin')).toMatchObject({
    user: { name: 'ann' },
  });
});

it('without an audience that of the API server is enough, and no user without a name logs in', async () => {
  expect(await reviewToken(answering(authenticated), 'token', '')).toMatchObject({ user: { name: 'ann', groups: [], extra: {} } });
  expect(await reviewToken(answering({ authenticated: true, user: {} }), 'token', '')).toBeUndefined();
  expect(await reviewToken(answering({ user: { username: 'ann' } }), 'token', '')).toBeUndefined();
});

it('a session ends with the token where that says when', async () => {
  const jwt = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.sig`;
  expect(await reviewToken(answering(authenticated), jwt({ exp: 1_800_000_000 }), '')).toMatchObject({ expiresAtMs: 1_800_000_000_000 });
  expect((await reviewToken(answering(authenticated), jwt({}), ''))?.expiresAtMs).toBeUndefined();
  expect((await reviewToken(answering(authenticated), 'opaque', ''))?.expiresAtMs).toBeUndefined();
});
