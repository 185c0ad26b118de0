import { lookup as dnsLookup } from 'node:dns';
import { createServer, Agent as HttpAgent, type IncomingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { type AddressInfo, connect, type LookupFunction } from 'node:net';
import { afterEach } from 'vitest';
import { sendRequest } from '../../src/metrics/http/send-request.ts';
import { notifierFor } from '../../src/notifiers/index.ts';
import type { EgressPolicy, OutgoingConnection } from '../../src/outgoing/connection.ts';
import { egressPolicy } from '../../src/outgoing/egress-policy.ts';
import { callWebhook } from '../../src/webhooks/call-webhook.ts';

/** Timeout of each call, created per call: this module can be loaded for longer than a minute. */
const patience = () => AbortSignal.timeout(60_000);
/** The egress policy with a resolver of the test, or the system's. */
export const outgoing = ({
  lookup = dnsLookup,
  ...settings
}: Parameters<typeof egressPolicy>[0] & { lookup?: LookupFunction }): EgressPolicy => egressPolicy(settings)(lookup);
export const egressSettings = {
  proxyEnvironment: {},
  allowedAddresses: [] as string[],
  apiServers: [] as string[],
  allowedLocalAddresses: [] as string[],
  ownAddresses: [] as string[],
};

/** Agents whose connections reach a server of the test, and say that they reach this address. */
export function reaching(address: string, port: number): NonNullable<OutgoingConnection['agent']> {
  const createConnection = () => Object.defineProperty(connect(port, '127.0.0.1'), 'remoteAddress', { value: address });
  return { http: Object.assign(new HttpAgent(), { createConnection }), https: Object.assign(new HttpsAgent(), { createConnection }) };
}

const servers: { close(): void }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

interface Reply {
  status: number;
  body?: string;
  location?: string;
}

/** A server that records its requests, and answers by a rule. */
export async function listening(answer: (url: string) => Reply, at: { host?: string; port?: number } = {}) {
  const seen: string[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    headers.push(request.headers);
    const { status, body = '', location } = answer(request.url ?? '');
    response.writeHead(status, { ...(location && { location }) }).end(body);
  });
  server.on('connect', (request, socket) => {
    seen.push(`CONNECT ${request.url}`);
    headers.push(request.headers);
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(at.port ?? 0, at.host ?? '127.0.0.1', resolve));
  servers.push({
    close() {
      server.closeAllConnections();
      server.close();
    },
  });
  return { seen, headers, port: (server.address() as AddressInfo).port };
}

export const payload = {
  name: 'a',
  namespace: 't',
  phase: 'Progressing',
  checksum: '',
  revision: '',
  canaryWeight: 0,
  primaryWeight: 100,
} as const;
export const message = {
  key: 'k',
  canary: { name: 'a', namespace: 't' },
  severity: 'info',
  reason: 'r',
  text: 't',
  fields: [],
  atMs: 0,
} as const;

/** The three ways in which an address of a tenant is called, a proxy of theirs with it where the resource can name one. */
export const callers: [string, (address: string, egress: EgressPolicy, proxy?: string) => Promise<string>][] = [
  [
    'metric backends',
    async (address, egress, proxy) => {
      const answer = await sendRequest(
        { url: new URL(address) },
        { who: 'X', timeoutMs: 60_000, secrets: [], signal: patience(), egress, proxy },
      );
      return 'kind' in answer ? answer.reason : `${answer.status} ${answer.body}`;
    },
  ],
  [
    'webhooks',
    async (address, egress) => {
      const answer = await callWebhook({ name: 'h', type: 'rollout', url: address }, payload, { key: 'k', signal: patience(), egress });
      return answer.outcome === 'passed' ? `200 ${answer.body}` : answer.reason;
    },
  ],
  [
    'alerts',
    async (address, egress, proxy) => {
      const made = notifierFor('webhook', { address, proxy }, { egress });
      if ('problem' in made) return made.problem;
      const sent = await made.send(message, patience());
      return sent.ok ? '200' : sent.reason;
    },
  ],
];
