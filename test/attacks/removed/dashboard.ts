import { checksOf, type RemovedCheck } from './removed-check.ts';

const IN_CLUSTER = 'src/dashboard/in-cluster';
const LISTENERS = `${IN_CLUSTER}/listener-attacks.integration.test.ts`;
const CONTROLLER = `${IN_CLUSTER}/controller-attacks.integration.test.ts`;
const LAPTOP = 'src/dashboard/dashboard-attacks.integration.test.ts';
const SLOTS = 'src/server/fair-slots.test.ts';
const TURNS = 'src/dashboard/access/login-turns.test.ts';

const names = checksOf(1, 'src/dashboard/access/listener.ts', LISTENERS);
const listeners = checksOf(1, `${IN_CLUSTER}/serve-listeners.ts`, LISTENERS);
const access = checksOf(1, 'src/dashboard/access/cluster-access.ts', LISTENERS);
const sessions = checksOf(1, 'src/dashboard/access/user-sessions.ts', LISTENERS, CONTROLLER);
const laptop = checksOf(1, 'src/dashboard/sessions.ts', LAPTOP);

/** The session of the dashboard, which another port of its host must not be able to use. */
export const sessionChecks: readonly RemovedCheck[] = [
  names('the listener of the Service has no local name', 'host === known && !isLocal(host)', '(host === known || isLocal(host))'),
  names('the listener of the Service has one name', 'host === known && !isLocal(host)', '!isLocal(host)'),
  names('the listener of a port-forward has only local names', 'isLocal(host) ? `http', 'host ? `http'),
  listeners('the listener of a port-forward is bound to loopback', 'localListener, LOOPBACK, plain', 'localListener, undefined, plain'),
  listeners(
    'a local address opens no listener for the Service',
    'origin === undefined || isLocal(new URL(origin).host) ? undefined',
    'origin === undefined ? undefined',
  ),
  access(
    'a session is of the listener that opened it',
    'this.#sessions = new UserSessions(clock, limits);',
    'this.#sessions = (limits as { shared?: UserSessions }).shared ??= new UserSessions(clock, limits);',
  ),
  sessions('a session needs its proof', ' || session.proofDigest !== digestOf(proof)'),
  sessions(
    'a request without the proof keeps no session open',
    'return this.#byDigest.has(digestOf(cookie));',
    'const one = this.#byDigest.get(digestOf(cookie)); if (one) one.usedAtMs = this.#clock.monotonicMs(); return one !== undefined;',
  ),
  sessions('a session ends with its token', 'nowMs >= session.endsAtMs || '),
  laptop('a session on the laptop needs its proof', ' && this.#session !== undefined && isSame(proof, this.#session.proof)'),
  laptop('the token of the laptop works once', '      this.#token = undefined;\n'),
];

const server = checksOf(5, 'src/dashboard/dashboard-server.ts', LISTENERS, CONTROLLER, LAPTOP);
const slots = checksOf(5, 'src/server/fair-slots.ts', SLOTS);
const turns = checksOf(5, 'src/dashboard/access/login-turns.ts', TURNS);
const ofSession = checksOf(5, 'src/dashboard/session-requests.ts', 'src/dashboard/session-requests.test.ts');
const streams = checksOf(5, 'src/dashboard/event-streams.ts', LAPTOP, CONTROLLER);
const most = checksOf(5, 'src/dashboard/access/user-sessions.ts', 'src/dashboard/access/user-sessions.test.ts', CONTROLLER);

/** Clients of the dashboard that hold connections, requests and logins. */
export const floodChecks: readonly RemovedCheck[] = [
  server('number of connections', 'limitConnections(server, limits.connections)', 'limitConnections(server, 1_000_000)'),
  server('a connection of a session stays', "      response.once('close', connections.spare(request.socket));\n"),
  server(
    'requests without a session',
    'strangers.take(response, peerOf(request.socket.remoteAddress))',
    "(peerOf(''), undefined as ServerResponse | undefined)",
  ),
  server(
    'an answer that is not read ends',
    'clock.setTimer(limits.answerMs, () => response.destroy())',
    'clock.setTimer(limits.answerMs, () => undefined)',
  ),
  server('time of a request', 'headersTimeout: limits.requestMs, requestTimeout: limits.requestMs', 'headersTimeout: 0, requestTimeout: 0'),
  server('size of headers', 'maxHeaderSize: limits.headerBytes', 'maxHeaderSize: 1_000_000'),
  server('rate of requests of a session', 'if (waitSeconds !== undefined)', 'if (waitSeconds === null)'),
  checksOf(5, 'src/dashboard/request-body.ts', CONTROLLER, LAPTOP)('size of a body', '    if (bytes > mostBytes) return undefined;\n'),
  ofSession('requests of all sessions', 'this.#inSum >= this.#most || '),
  ofSession('requests of a session', ' || ofSession >= this.#mostOfSession'),
  streams('streams of all sessions', 'this.#open.size >= this.#most || '),
  streams('streams of a session', ' || ofSession >= this.#mostOfSession'),
  most('sessions of a user', 'if (ofUser.length >= mostOfUser)', 'if (ofUser.length < 0)'),
  most('sessions in all', 'if (this.#byDigest.size >= most)', 'if (this.#byDigest.size < 0)'),
  slots('the peer with most slots loses one', '      if (count <= most) continue;\n'),
  slots('the newcomer counts for its own peer', ' + (peer === newcomer ? 1 : 0)'),
  slots('peers take turns', 'if (this.#byPeer.delete(peer)) this.#byPeer.set(peer, held);', ''),
  checksOf(
    5,
    'src/server/connections.ts',
    'src/server/connections.integration.test.ts',
    LISTENERS,
  )('an idle connection goes before a busy one', '(name) => !busy.has(name)', '() => false'),
  checksOf(5, 'src/server/peer.ts', 'src/server/peer.test.ts')('a /64 of IPv6 is one peer', '.slice(0, 4)'),
  turns('logins at once', 'this.#underWay < loginsAtOnce && '),
  turns('rate of logins', ' && this.#tokens >= 1'),
  turns('a client that has hung up has no turn', 'if (next.isGone()) {', 'if (next === null) {'),
  checksOf(5, 'src/dashboard/access/paced.ts', LISTENERS)(
    'lines about failed logins',
    'if (written >= mostAMinute) {',
    'if (written < 0) {',
  ),
];
