import { Agent, get } from 'node:http';
import { staleEntry, unansweredEntry } from './stale-entry.ts';

/** Results of the users of an address. */
export interface Asked {
  sent: number;
  /** Answers below 500, by the version that they name. */
  answers: Map<string, number>;
  /** Sent again on a new connection, as a kept one was closed before any of the answer: clients of HTTP do that (RFC 9112, 9.3.1). */
  resent: number;
  /** When it was sent, and why it was lost after how long: errors of the connection, and answers from 500 on. */
  lost: string[];
  /** Lost by the kernel, with proof: led by an entry of an earlier connection from the same port to a pod that refused it, or whose node is lost. */
  misled: string[];
}

export interface Users {
  readonly asked: Asked;
  /** Resolves when all that was sent has its end. */
  stop(): Promise<Asked>;
}

const EVERY_MS = 25;
const PATIENCE_MS = 10_000;
const KEPT_CONNECTIONS = 8;

/**
 * Users that send requests continuously: half of them by new connections, half by kept connections. `versionOf` reads the version from an answer; a proxy
 * chooses the route by `host`.
 */
export function startUsers(url: string, versionOf: (text: string) => string, host?: string): Users {
  const asked: Asked = { sent: 0, answers: new Map(), resent: 0, lost: [], misled: [] };
  const kept = new Agent({ keepAlive: true, maxSockets: KEPT_CONNECTIONS });
  const underWay = new Set<Promise<void>>();
  const unanswered: Unanswered = new Map();
  const timer = setInterval(() => {
    const agent = asked.sent % 2 === 0 ? kept : new Agent({ keepAlive: false });
    const sentAtMs = Date.now();
    asked.sent += 1;
    const again = (): Promise<string> => {
      asked.resent += 1;
      return ask({ url, host, unanswered }, new Agent({ keepAlive: false }));
    };
    const one = ask({ url, host, unanswered }, agent, again).then(
      (text) => {
        const version = versionOf(text);
        asked.answers.set(version, (asked.answers.get(version) ?? 0) + 1);
      },
      (error: Error) => {
        const afterMs = Date.now() - sentAtMs;
        const line = `${new Date(sentAtMs).toISOString()} ${agent === kept ? 'kept' : 'new'}: ${error.message} (after ${afterMs} ms)`;
        (error instanceof MisledError ? asked.misled : asked.lost).push(line);
      },
    );
    underWay.add(one);
    void one.finally(() => underWay.delete(one));
  }, EVERY_MS);
  return {
    asked,
    async stop() {
      clearInterval(timer);
      await Promise.all(underWay);
      kept.destroy();
      return asked;
    },
  };
}

class MisledError extends Error {}

/** When the last request from each port was lost without an answer. Milliseconds since 1970. */
type Unanswered = Map<number, number>;

interface Address {
  url: string;
  host: string | undefined;
  unanswered: Unanswered;
}

/** `again`: where a kept connection was closed before any of the answer. */
function ask({ url, host, unanswered }: Address, agent: Agent, again?: () => Promise<string>): Promise<string> {
  return new Promise((resolve, reject) => {
    let hasBegun = false;
    const request = get(url, { agent, timeout: PATIENCE_MS, headers: host === undefined ? {} : { host } }, (answer) => {
      hasBegun = true;
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (part: string) => (text += part));
      answer.on('end', () => ((answer.statusCode ?? 0) < 500 ? resolve(text) : reject(new Error(`status ${answer.statusCode}`))));
      answer.on('error', reject);
    });
    let port = 0;
    request.on('socket', (socket) => (port = socket.localPort ?? 0));
    request.on('timeout', () => request.destroy(new SilenceError(`no answer within ${PATIENCE_MS} ms`)));
    request.on('error', (error: NodeJS.ErrnoException) => {
      const isClosed = error.code === 'ECONNRESET' || error.code === 'EPIPE';
      if (again !== undefined && request.reusedSocket && isClosed && !hasBegun) resolve(again());
      else if (error.code === 'ECONNREFUSED') void refusal(error, new URL(url).hostname, port).then(reject);
      else if (!hasBegun && (error instanceof SilenceError || error.code === 'EHOSTUNREACH'))
        void silence(error, new URL(url).hostname, port, unanswered).then(reject);
      else reject(error);
    });
  });
}

class SilenceError extends Error {}

/** The kernel forgets an entry without an answer after this time (nf_conntrack_tcp_timeout_syn_sent); the packets of a connection renew it. */
const REMEMBERED_MS = 120_000 + PATIENCE_MS;

/** Says of a request without an answer whether the kernel led it by the entry of an earlier one, which had none either. */
async function silence(error: Error, service: string, port: number, unanswered: Unanswered): Promise<Error> {
  const earlierMs = unanswered.get(port);
  unanswered.set(port, Date.now());
  if (port === 0 || earlierMs === undefined || Date.now() - earlierMs > REMEMBERED_MS)
    return new Error(`${error.message} from port ${port}`);
  const pod = await unansweredEntry(service, port);
  if (pod === undefined) return new Error(`${error.message} from port ${port}`);
  return new MisledError(
    `${error.message} from port ${port}, by an entry that leads to ${pod}, which did not answer ${new Date(earlierMs).toISOString()}`,
    { cause: error },
  );
}

/** Says of a connection that was refused whether the kernel led it to another pod than a new one. */
async function refusal(error: Error, service: string, port: number): Promise<Error> {
  const pod = await staleEntry(service, port);
  if (pod === undefined) return new Error(`${error.message} from port ${port}`);
  return new MisledError(`${error.message} from port ${port}, by an entry that leads to ${pod}`, { cause: error });
}
