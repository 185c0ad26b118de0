import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askHttp } from '../../../test/fakes/ask-http.ts';
import { handClock } from '../../../test/fakes/clock.ts';
import { raw } from '../../../test/fakes/raw.ts';
import { ReviewedCluster } from '../../../test/fakes/reviewed-cluster.ts';
import { keptIn } from '../../base/once.ts';
import { LIMITS, serveDashboard } from '../dashboard-server.ts';
import { PROOF_HEADER } from '../own-headers.ts';
import { ACCESS_LIMITS, clusterAccess, LOGIN_COOKIE } from './cluster-access.ts';
import { localListener } from './listener.ts';
import { type OidcSettings, oidcLogin, userOfClaims } from './oidc-login.ts';

const SECRET = 'a-client-secret';
const cluster = new ReviewedCluster();
const logged: string[] = [];
const log = (fields: object, message: string) => void logged.push(JSON.stringify({ ...fields, message }));
const ends: (() => unknown)[] = [];
let issuer = '';
let origin = '';
let port = 0;

beforeAll(async () => {
  const providing = createServer();
  await new Promise<void>((resolve) => providing.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(providing.address() as AddressInfo).port}`;
  const clock = handClock();
  const serve = async (oidc: Partial<OidcSettings>) => {
    const settings: OidcSettings = {
      ...{ issuerUrl: issuer, clientId: 'serin', clientSecret: SECRET, scopes: ['email', 'groups'], redirectUri: '' },
      ...{ usernameClaim: 'email', usernamePrefix: '', groupsClaim: 'groups', groupsPrefix: 'oidc:' },
      ...oidc,
    };
    const served = await serveDashboard({
      ...{ port: 0, host: '127.0.0.1', clock, limits: LIMITS, server: (options) => createServer(options) },
      accessAt: (at) =>
        clusterAccess({
          ...{ listener: localListener, audience: '', mayAct: true, clock, limits: ACCESS_LIMITS },
          served: { cluster: raw(cluster), isElsewhere: () => false },
          oidc: oidcLogin({ ...settings, redirectUri: `http://localhost:${at}/login/callback` }),
          source: raw({}),
          viewsOf: () => raw({}),
          log: { info: log, warn: log },
        }),
    });
    ends.push(served.stop);
    return served.port;
  };
  port = await serve({});
  origin = `http://localhost:${port}`;
  const account = (id: string) => ({ sub: id, email: id, email_verified: !id.startsWith('new-'), groups: ['shop', 'system:masters'] });
  const provider = new Provider(issuer, {
    clients: [
      { client_id: 'serin', client_secret: SECRET, redirect_uris: [`${origin}/login/callback`], grant_types: ['authorization_code'] },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], groups: ['groups'] },
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    findAccount: (_, id) => ({ accountId: id, claims: async () => account(id) }),
    cookies: { keys: ['k'] },
  });
  providing.on('request', provider.callback());
  ends.push(() => providing.close());
});
afterAll(async () => {
  for (const end of ends) await end();
});

/** A browser that keeps the cookies of each origin, and follows redirects. */
function aBrowser() {
  const jars = new Map<string, Map<string, string>>();
  const jarOf = (at: string) => keptIn(jars, at, () => new Map<string, string>());
  const visit = async (url: string, form?: Record<string, string>): Promise<{ url: string; text: string }> => {
    const jar = jarOf(new URL(url).origin);
    const response = await fetch(url.replace('//localhost', '//127.0.0.1'), {
      redirect: 'manual',
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
    const location = response.headers.get('location');
    return { url: location === null ? url : new URL(location, url).href, text: await response.text() };
  };
  /** Follows redirects to the provider's last one: returns the address of the callback. */
  const logInAt = async (first: string, id: string): Promise<string> => {
    let at = first;
    for (let steps = 0; steps < 12; steps += 1) {
      if (at.startsWith(`${origin}/login/callback`)) return at;
      const { text, url } = await visit(at);
      const action = /action="([^"]+)"/.exec(text)?.[1];
      const prompt = /name="prompt" value="([^"]+)"/.exec(text)?.[1] ?? '';
      at = action === undefined ? url : (await visit(action, { prompt, login: id, password: 'x' })).url;
    }
    throw new Error(`the provider leads nowhere: ${at}`);
  };
  return { logInAt, jarOf };
}
type Browser = ReturnType<typeof aBrowser>;

// The test reaches the server as 127.0.0.1; the browser knows it as localhost.
const at = (path: string, cookies: ReadonlyMap<string, string>, more: Record<string, string> = {}) =>
  askHttp(port, path, {
    headers: { host: `localhost:${port}`, cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '), ...more },
  });
const begin = async (browser: Browser, next = '/'): Promise<string> => {
  const { status, headers } = await at(`/login/oidc?next=${encodeURIComponent(next)}`, new Map());
  expect(status).toBe(303);
  const [cookie = ''] = headers['set-cookie'] ?? [];
  browser.jarOf(origin).set(LOGIN_COOKIE, cookie.slice(cookie.indexOf('=') + 1, cookie.indexOf(';')));
  return headers.location ?? '';
};
const pathOf = (url: string): string => url.slice(origin.length);
const cookiesOf = (cookie: string) => new Map([[LOGIN_COOKIE, cookie]]);

describe('login by an OIDC provider', () => {
  it('requests a code with PKCE, state and nonce, under the redirect URI of --dashboard-url', async () => {
    const url = new URL((await at('/login/oidc', new Map(), { host: `127.0.0.1:${port}` })).headers.location ?? '');
    expect(url.origin).toBe(issuer);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      ...{ response_type: 'code', client_id: 'serin', redirect_uri: `${origin}/login/callback`, scope: 'openid email groups' },
      ...{ code_challenge_method: 'S256', code_challenge: expect.stringMatching(/^[\w-]{43}$/) },
      ...{ state: expect.stringMatching(/^[\w-]{43}$/), nonce: expect.stringMatching(/^[\w-]{43}$/) },
    });
  });

  it('opens a session for the user of the ID token, and leads to the requested page', async () => {
    const browser = aBrowser();
    const callback = await browser.logInAt(await begin(browser, '/canaries/a/shop'), 'ann@example.org');
    const answer = await at(pathOf(callback), cookiesOf(browser.jarOf(origin).get(LOGIN_COOKIE) ?? ''));
    expect(answer.status).toBe(200);
    const [, proof = ''] = /content="0;url=\/canaries\/a\/shop#proof=([\w-]{43})"/.exec(answer.text) ?? [];
    const [session = '', forgotten = ''] = answer.headers['set-cookie'] ?? [];
    expect(session).toMatch(/^__Host-serin-session=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/);
    expect(forgotten).toMatch(/^__Host-serin-login=; Path=\/; HttpOnly; Secure; SameSite=Lax; Max-Age=0$/);
    const [name = '', value = ''] = session.split(';')[0]?.split('=') ?? [];
    expect((await at('/api/session', new Map([[name, value]]))).status).toBe(401);
    const about = await at('/api/session', new Map([[name, value]]), { [PROOF_HEADER]: proof });
    expect(JSON.parse(about.text)).toEqual({ user: 'ann@example.org', mayAct: true });
    expect(logged.join()).not.toMatch(new RegExp(`${SECRET}|${new URL(callback).searchParams.get('code')}`));
  });

  const forgeries: { attack: string; forge(callback: URL, cookie: string, other: string): { url: URL; cookie: string }; status: number }[] =
    [
      { attack: 'without the cookie of the browser that began', forge: (url) => ({ url, cookie: '' }), status: 400 },
      { attack: 'with the cookie of another login', forge: (url, _, other) => ({ url, cookie: other }), status: 400 },
      { attack: 'with another state', forge: (url, cookie) => ({ url: edited(url, 'state', 'x'), cookie }), status: 400 },
      { attack: 'without a state', forge: (url, cookie) => ({ url: edited(url, 'state'), cookie }), status: 400 },
      { attack: 'with another nonce', forge: (url, cookie) => ({ url, cookie: replaced(cookie, 1) }), status: 401 },
      { attack: 'with another PKCE verifier', forge: (url, cookie) => ({ url, cookie: replaced(cookie, 2) }), status: 401 },
      { attack: 'with another code', forge: (url, cookie) => ({ url: edited(url, 'code', 'x'), cookie }), status: 401 },
      { attack: 'of another issuer', forge: (url, cookie) => ({ url: edited(url, 'iss', 'https://evil.example'), cookie }), status: 401 },
      {
        attack: 'with an error in place of the code',
        forge: (url, cookie) => ({ url: edited(edited(url, 'code'), 'error', '<b>x'), cookie }),
        status: 401,
      },
    ];
  it.each(forgeries)('a callback $attack opens nothing: $status', async ({ forge, status }) => {
    const [browser, other] = [aBrowser(), aBrowser()];
    const callback = await browser.logInAt(await begin(browser), 'ann@example.org');
    await begin(other);
    const cookieIn = (one: Browser) => one.jarOf(origin).get(LOGIN_COOKIE) ?? '';
    const { url, cookie } = forge(new URL(callback), cookieIn(browser), cookieIn(other));
    const answer = await at(`${url.pathname}${url.search}`, cookiesOf(cookie));
    expect(answer.status).toBe(status);
    expect(String(answer.headers['set-cookie'])).not.toContain('serin-session');
    expect(answer.text).not.toContain('<b>');
  });

  it('a code works once', async () => {
    const browser = aBrowser();
    const callback = await browser.logInAt(await begin(browser), 'ann@example.org');
    const cookie = cookiesOf(browser.jarOf(origin).get(LOGIN_COOKIE) ?? '');
    expect((await at(pathOf(callback), cookie)).status).toBe(200);
    expect((await at(pathOf(callback), cookie)).status).toBe(401);
  });

  it('a user whose address is not verified gets no session', async () => {
    const browser = aBrowser();
    const callback = await browser.logInAt(await begin(browser), 'new-ben@example.org');
    expect((await at(pathOf(callback), cookiesOf(browser.jarOf(origin).get(LOGIN_COOKIE) ?? ''))).status).toBe(401);
  });

  it.each(['//evil.example', 'https://evil.example/', '/canaries/a/b"><script>alert(1)</script>'])(
    'open redirect: next=%s leads to the list',
    async (next) => {
      const browser = aBrowser();
      const callback = await browser.logInAt(await begin(browser, next), 'ann@example.org');
      const cookie = browser.jarOf(origin).get(LOGIN_COOKIE) ?? '';
      // Also where the browser holds a cookie that was made by another hand.
      const forged = [...cookie.split(':').slice(0, 3), encodeURIComponent(next)].join(':');
      const { text } = await at(pathOf(callback), cookiesOf(forged));
      expect(text).toMatch(/content="0;url=\/#proof=[\w-]{43}"/);
      expect(text).not.toContain('evil');
    },
  );

  it('a provider that does not answer is a failed login, and is queried again', async () => {
    const settings = {
      issuerUrl: 'http://127.0.0.1:1',
      clientId: 'x',
      clientSecret: undefined,
      scopes: [],
      redirectUri: `${origin}/login/callback`,
    };
    const login = oidcLogin({ ...settings, usernameClaim: 'sub', usernamePrefix: '', groupsClaim: '', groupsPrefix: '' });
    await expect(login.begin()).rejects.toThrow();
    await expect(login.begin()).rejects.toThrow();
  });
});

describe('claims', () => {
  const settings = {
    issuerUrl: 'https://id.example',
    scopes: [],
    usernameClaim: 'sub',
    usernamePrefix: '',
    groupsClaim: 'groups',
    groupsPrefix: '',
  };
  it.each([
    { what: 'another claim than email', with: {}, name: 'https://id.example#ann' },
    { what: 'the prefix -', with: { usernamePrefix: '-' }, name: 'ann' },
    { what: 'a prefix', with: { usernamePrefix: 'oidc:' }, name: 'oidc:ann' },
    { what: 'email', with: { usernameClaim: 'email' }, name: 'ann@example.org' },
  ])('the name by $what: $name', ({ with: more, name }) => {
    expect(userOfClaims({ sub: 'ann', email: 'ann@example.org', email_verified: true }, { ...settings, ...more }).name).toBe(name);
  });

  it('no provider gives a name or a group of Kubernetes itself', () => {
    expect(() => userOfClaims({ sub: 'system:admin' }, { ...settings, usernamePrefix: '-' })).toThrow('must not begin with system:');
    expect(userOfClaims({ sub: 'ann', groups: ['system:masters', 'shop', 5] }, settings).groups).toEqual(['shop', 'system:authenticated']);
    expect(userOfClaims({ sub: 'ann', groups: 'shop' }, { ...settings, groupsPrefix: 'oidc:' }).groups).toEqual([
      'oidc:shop',
      'system:authenticated',
    ]);
  });

  it.each([{}, { sub: '' }, { sub: 5 }])('a name that is not a text is refused: %j', (claims) => {
    expect(() => userOfClaims(claims, settings)).toThrow('claim sub must be a text');
  });
});

/** The query with another value, or without it. */
function edited(url: URL, name: string, value?: string): URL {
  const copy = new URL(url);
  if (value === undefined) copy.searchParams.delete(name);
  else copy.searchParams.set(name, value);
  return copy;
}

/** The cookie with another text of the same form in place of one part. */
const replaced = (cookie: string, index: number): string => cookie.split(':').with(index, 'A'.repeat(43)).join(':');
