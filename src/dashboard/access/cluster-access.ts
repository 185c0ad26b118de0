import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { apiVersion } from '../../api/canary.ts';
import type { Clock } from '../../base/clock.ts';
import { isForbidden } from '../../kube/errors.ts';
import type { KubeCluster } from '../../kube/kube-cluster.ts';
import { peerOf } from '../../server/peer.ts';
import { loginAssets, loginDocument } from '../login-assets.ts';
import { LOGIN_HEADER, PROOF_HEADER, withProof } from '../own-headers.ts';
import { bodyOf, fieldOf } from '../request-body.ts';
import { ViewError, type Views } from '../views.ts';
import { type Access, type Credentials, cookieValue, credentialsOf, type PageResponse, type Viewer } from './access.ts';
import { clusterAs, type Served } from './as-user.ts';
import type { Listener } from './listener.ts';
import { type LoginLimits, LoginTurns } from './login-turns.ts';
import type { OidcLogin } from './oidc-login.ts';
import { paced } from './paced.ts';
import { Rights } from './rights.ts';
import { type Authenticated, reviewToken } from './token-review.ts';
import { userProblem } from './user.ts';
import { type SessionLimits, type UserSession, UserSessions } from './user-sessions.ts';
import { followVisible, type ListSource } from './visible-list.ts';

/** Paths of pages, only with characters of object names: nothing that leads to another host, or ends an attribute. */
const OF_PAGE = /^\/(canaries\/[a-z0-9][a-z0-9.-]*\/[a-z0-9][a-z0-9.-]*(\/[a-z0-9/]*)?)?$/;

/** The path of a page to go to after the login; the list for everything else. */
const safePath = (path: string | null): string => (path !== null && path.length < 600 && OF_PAGE.test(path) ? path : '/');

/** Limits of a reader's login and requests. */
export interface AccessLimits extends SessionLimits, LoginLimits {
  tokenBytes: number;
  /** Lines in the log about logins that failed, a minute. */
  refusalsLogged: number;
}

export const ACCESS_LIMITS: AccessLimits = {
  ...{ idleMs: 30 * 60_000, absoluteMs: 8 * 3_600_000, most: 1_000, mostOfUser: 10, burst: 60, perSecond: 20 },
  ...{ loginsAtOnce: 8, loginBurst: 30, loginsPerSecond: 5, loginsWaiting: 32, tokenBytes: 16_384, refusalsLogged: 30 },
};

/** Access to the dashboard in the controller. */
export interface ClusterAccessOptions {
  listener: Listener;
  served: Served;
  /** Audience of accepted tokens; an empty one is that of the API server. */
  audience: string;
  oidc: OidcLogin | undefined;
  mayAct: boolean;
  source: ListSource;
  viewsOf(cluster: KubeCluster): Views;
  clock: Clock;
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
  limits: AccessLimits;
}

/** The prefix binds them to this host, HTTPS and the path `/`: neither a sibling domain nor plain HTTP can set them. */
export const SESSION_COOKIE = '__Host-serin-session';
export const LOGIN_COOKIE = '__Host-serin-login';
const LOGIN_WITHIN_S = 600;
const group = apiVersion.split('/')[0] ?? '';

const setCookie = (name: string, value: string, more: string): string => `${name}=${value}; Path=/; HttpOnly; Secure; ${more}`;
const html = 'text/html; charset=utf-8';
const ownJson = (value: unknown): PageResponse => ({ status: 200, text: JSON.stringify(value), type: 'application/json' });
const text = (status: number, words: string): PageResponse => ({ status, text: `${words}\n` });

/** Access by a login, with the rights that the API server gives the user. */
export function clusterAccess(options: ClusterAccessOptions): Access & { stop(): void } {
  return new ClusterAccess(options);
}

class ClusterAccess implements Access {
  readonly hostRemedy: string;
  readonly originOf: Listener['originOf'];
  readonly #options: ClusterAccessOptions;
  readonly #sessions: UserSessions;
  readonly #turns: LoginTurns;
  /** Log of failed logins, which strangers cause. */
  readonly #line: ReturnType<typeof paced>;
  readonly #viewers = new WeakMap<UserSession, Viewer>();

  constructor(options: ClusterAccessOptions) {
    const { clock, limits, listener } = options;
    this.#options = options;
    this.hostRemedy = listener.hostRemedy;
    this.originOf = listener.originOf;
    this.#sessions = new UserSessions(clock, limits);
    this.#turns = new LoginTurns(clock, limits);
    this.#line = paced(clock, limits.refusalsLogged);
  }

  async enter(request: IncomingMessage, path: string, query: URLSearchParams): Promise<PageResponse | undefined> {
    const { method, headers } = request;
    if (method === 'POST') {
      if (path === '/login') return this.#byToken(request);
      if (path !== '/logout') return undefined;
      this.#sessions.end(ofSession(headers));
      return { status: 204, text: '', headers: { 'set-cookie': setCookie(SESSION_COOKIE, '', 'SameSite=Strict; Max-Age=0') } };
    }
    const asset = Object.hasOwn(loginAssets, path) ? loginAssets[path] : undefined;
    if (asset) return { status: 200, ...asset };
    switch (path) {
      case '/login':
        return { status: 200, text: loginDocument, type: html };
      case '/login/state': {
        const session = this.#sessions.find(ofSession(headers));
        const { oidc } = this.#options;
        return ownJson({ oidc: oidc !== undefined, next: safePath(query.get('next')), ...(session && { user: session.user.name }) });
      }
      case '/login/oidc':
        return this.#beginOidc(query);
      case '/login/callback':
        return this.#finishOidc(request, query);
      default:
        return undefined;
    }
  }

  mayLoad(headers: IncomingHttpHeaders): boolean {
    return this.#sessions.has(ofSession(headers).cookie);
  }

  viewerOf(headers: IncomingHttpHeaders): Viewer | undefined {
    const session = this.#sessions.find(ofSession(headers));
    if (session === undefined) return undefined;
    const viewer = this.#viewers.get(session) ?? this.#viewer(session);
    this.#viewers.set(session, viewer);
    return viewer;
  }

  refuse({ headers }: IncomingMessage, path: string): PageResponse {
    // A link from another site comes without the cookie: the login page, which is of this site, finds the session.
    if (headers['sec-fetch-dest'] === 'document' || path === '/')
      return { status: 303, text: '', headers: { location: `/login?next=${encodeURIComponent(safePath(path))}` } };
    return { ...text(401, 'no session: log in at /login'), headers: { [LOGIN_HEADER]: '/login' } };
  }

  stop(): void {
    this.#turns.stop();
    this.#sessions.stop();
  }

  #viewer(session: UserSession): Viewer {
    const { served, source, clock, mayAct, viewsOf, limits, log } = this.#options;
    const rights = new Rights(served.cluster, session.user, clock);
    const views = viewsOf(clusterAs(served, rights));
    const user = session.user.name;
    return {
      session,
      about: { user, mayAct },
      views: {
        ...views,
        act: async (canary, verb) => {
          const label = `${canary.namespace}/${canary.name}`;
          log.info({ user, verb, canary: label }, 'verb requested on the dashboard');
          const { outcome, message } = await views.act(canary, verb);
          log.info({ user, verb, canary: label, outcome }, 'verb answered on the dashboard');
          return { outcome, message };
        },
      },
      followList: (show) => followVisible(source, rights, clock, show),
      waitSeconds: () => session.waitSeconds(clock.monotonicMs(), limits),
      mayRead: async ({ namespace, name }, verb) => {
        try {
          await rights.demand({ verb, group, resource: 'canaries', namespace, name });
        } catch (error) {
          if (isForbidden(error)) throw new ViewError(403, error.message, { cause: error });
          throw new ViewError(502, 'your rights cannot be checked now: try again', { cause: error });
        }
      },
      onEnd: (end) => session.onEnd(end),
    };
  }

  async #byToken(request: IncomingMessage): Promise<PageResponse> {
    const { limits, served, audience } = this.#options;
    const body = await bodyOf(request, limits.tokenBytes);
    if (body === undefined) return text(413, `the token must be at most ${limits.tokenBytes} bytes`);
    const token = fieldOf(body, 'token');
    if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) return text(400, 'token must be the text of a Kubernetes token');
    return this.#login(request, 'token', () => reviewToken(served.cluster, token, audience), {
      success: (cookie, proof) => ({ status: 204, text: '', headers: { 'set-cookie': cookie, [PROOF_HEADER]: proof } }),
      refusal: 'the token is not accepted: it has expired, or is for another audience; kubectl create token makes one',
      failure: 'the API server does not answer: try again',
    });
  }

  async #beginOidc(query: URLSearchParams): Promise<PageResponse> {
    const { oidc, log } = this.#options;
    if (oidc === undefined) return text(404, 'not found');
    try {
      const { url, state, nonce, verifier } = await oidc.begin();
      const value = [state, nonce, verifier, encodeURIComponent(safePath(query.get('next')))].join(':');
      // Lax: the provider sends the browser back from its own site, where a Strict cookie would not come along.
      return {
        status: 303,
        text: '',
        headers: { location: url, 'set-cookie': setCookie(LOGIN_COOKIE, value, `SameSite=Lax; Max-Age=${LOGIN_WITHIN_S}`) },
      };
    } catch (error) {
      this.#line((leftOut) =>
        log.warn({ reason: reasonOf(error), ...(leftOut > 0 && { leftOut }) }, 'the OIDC provider of the dashboard does not answer'),
      );
      return text(502, 'the login provider does not answer: try again, or log in with a token');
    }
  }

  async #finishOidc(request: IncomingMessage, query: URLSearchParams): Promise<PageResponse> {
    const { oidc } = this.#options;
    if (oidc === undefined) return text(404, 'not found');
    const [state, nonce, verifier, next = ''] = (cookieValue(request.headers.cookie, LOGIN_COOKIE) ?? '').split(':');
    const forget = setCookie(LOGIN_COOKIE, '', 'SameSite=Lax; Max-Age=0');
    if (!state || !nonce || !verifier || query.get('state') !== state)
      return { ...text(400, 'this login was not begun here, or took too long: begin again at /login'), headers: { 'set-cookie': forget } };
    const path = safePath(decodedOf(next));
    return this.#login(request, 'oidc', async () => ({ user: await oidc.finish(query, { state, nonce, verifier }) }), {
      // A redirect would still count as of the provider's site, and go without the session cookie: a page of our own goes on.
      success: (cookie, proof) => {
        const to = withProof(path, proof);
        return {
          ...{ status: 200, type: html, headers: { 'set-cookie': [cookie, forget] } },
          text: `<!doctype html><meta http-equiv="refresh" content="0;url=${to}"><a href="${to}">Serin</a>\n`,
        };
      },
      refusal: 'the login was refused: begin again at /login',
      failure: 'the login failed: begin again at /login',
    });
  }

  async #login(
    request: IncomingMessage,
    how: string,
    authenticate: () => Promise<Authenticated | undefined>,
    answers: { success(cookie: string, proof: string): PageResponse; refusal: string; failure: string },
  ): Promise<PageResponse> {
    const { clock, log } = this.#options;
    const { socket, headers } = request;
    const address = socket.remoteAddress;
    const done = await this.#turns.take(peerOf(address), () => socket.destroyed);
    if (done === undefined) return { ...text(429, 'too many logins at once: try again in a moment'), headers: { 'retry-after': '1' } };
    try {
      const found = await authenticate();
      const problem = found === undefined ? 'not accepted' : userProblem(found.user);
      if (found === undefined || problem !== undefined) {
        this.#line((leftOut) =>
          log.warn({ address, how, reason: problem, ...(leftOut > 0 && { leftOut }) }, 'login to the dashboard refused'),
        );
        return text(401, found === undefined ? answers.refusal : `no session is opened: ${problem}`);
      }
      const leftMs = found.expiresAtMs === undefined ? undefined : found.expiresAtMs - clock.nowMs();
      this.#sessions.end(ofSession(headers));
      const opened = this.#sessions.open(found.user, leftMs);
      log.info({ address, how, user: found.user.name }, 'login to the dashboard');
      return answers.success(setCookie(SESSION_COOKIE, opened.cookie, 'SameSite=Strict'), opened.proof);
    } catch (error) {
      this.#line((leftOut) =>
        log.warn({ address, how, reason: reasonOf(error), ...(leftOut > 0 && { leftOut }) }, 'login to the dashboard failed'),
      );
      return text(how === 'oidc' ? 401 : 502, answers.failure);
    } finally {
      done();
    }
  }
}

const ofSession = (headers: IncomingHttpHeaders): Credentials => credentialsOf(headers, SESSION_COOKIE);

/** Never the answer of a provider, which may quote what it was sent. */
const reasonOf = (error: unknown): string =>
  error instanceof Error ? ('code' in error && typeof error.code === 'string' ? error.code : error.name) : 'unknown';

function decodedOf(words: string): string {
  try {
    return decodeURIComponent(words);
  } catch {
    return '/';
  }
}
