import { Agent, request } from 'node:http';

/** Requests of the users of one application. */
export interface Asked {
  sent: number;
  /** Answers below 500, by the version that gave them. */
  answers: Record<string, number>;
  /** Answers from 500 on by the version that gave them (`500 of 3`), and requests that no application answered by the reason. */
  failed: Record<string, number>;
}

export interface Clients {
  /** Resolves when each request has its end: one for each host. */
  stop(): Promise<readonly Asked[]>;
}

/** Requests a second to each application, however long the answers take. */
export const REQUESTS_A_SECOND = 5;
/** One request in so many has the header that an A/B release routes by. */
const INSIDER_EVERY = 5;
export const INSIDER = { name: 'x-user', value: 'insider' } as const;
const LOOK_EVERY_MS = 20;
const PATIENCE_MS = 10_000;

/** Users of each host, who send their requests to a proxy in turn. */
export function startClients(proxyUrl: string, hosts: readonly string[]): Clients {
  const agent = new Agent({ keepAlive: true });
  const users = hosts.map((host): { host: string; asked: Asked } => ({ host, asked: { sent: 0, answers: {}, failed: {} } }));
  const underWay = new Set<Promise<void>>();
  const startedMs = performance.now();
  let sent = 0;
  const sendDue = (): void => {
    const due = ((performance.now() - startedMs) * REQUESTS_A_SECOND * users.length) / 1000;
    for (; sent < due; sent += 1) {
      const user = users[sent % users.length];
      if (user === undefined) return;
      const one = ask(proxyUrl, user.host, user.asked, agent).finally(() => underWay.delete(one));
      underWay.add(one);
    }
  };
  const timer = setInterval(sendDue, LOOK_EVERY_MS);
  return {
    async stop() {
      clearInterval(timer);
      await Promise.all(underWay);
      agent.destroy();
      return users.map(({ asked }) => asked);
    },
  };
}

/** Never rejects: a request without an answer is counted. */
function ask(url: string, host: string, asked: Asked, agent: Agent): Promise<void> {
  const isInsider = asked.sent % INSIDER_EVERY === 0;
  asked.sent += 1;
  return new Promise((resolve) => {
    const end = (counts: Record<string, number>, what: string): void => {
      counts[what] = (counts[what] ?? 0) + 1;
      resolve();
    };
    const headers = { host, ...(isInsider ? { [INSIDER.name]: INSIDER.value } : {}) };
    const call = request(url, { headers, agent, timeout: PATIENCE_MS }, (answer) => {
      const status = answer.statusCode ?? 0;
      const version = answer.headers['x-serin-version']?.toString();
      const refusal = answer.headers['x-serin-proxy-error']?.toString();
      answer.resume();
      answer.once('error', ({ message }) => end(asked.failed, message));
      answer.once('end', () => {
        if (status < 500 && version !== undefined) end(asked.answers, version);
        else end(asked.failed, version === undefined ? (refusal ?? `status ${status}`) : `${status} of ${version}`);
      });
    });
    call.once('timeout', () => call.destroy(new Error(`no answer within ${PATIENCE_MS} ms`)));
    call.once('error', ({ message }) => end(asked.failed, message));
    call.end();
  });
}
