import { createServer, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { WebSocketServer } from 'ws';
import { loopback, type Network } from '../../../src/embedded/network.ts';
import { type BackendCase, bodiesOf } from '../../contracts/metric-backends/backend-case.ts';
import { backendCases } from '../../contracts/metric-backends/index.ts';
import { frameOf } from '../../contracts/metric-backends/splunk.ts';
import { templates } from './templates.ts';

/** `always`, `once` (then good answers) or never. */
export type Refusing = 'always' | 'once' | 'never';

export interface EchoServer {
  readonly origin: string;
  /** Received requests in their order; the path is without its query. */
  readonly seen: { path: string; body: string }[];
  /** Applies from now on to the paths below a first segment; `once` counts for each path. */
  refuses(first: string, how: Refusing): void;
  stop(): Promise<void>;
}

export interface KnownAnswers {
  /** The value of the contract case. */
  good: string;
  /** A refusal with these words where the backend shows a text; otherwise only the words. */
  refusal(words: string): string;
}

/** Answers of a backend by its contract case. */
export async function answersOf(known: BackendCase): Promise<KnownAnswers> {
  const { value, refused } = await bodiesOf(known);
  const message = known.refusalShown?.source.replace(/^answered 400: /, '');
  if (message === undefined) return { good: value, refusal: (words) => words };
  const [before, after, ...more] = refused.split(message);
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(
      `${known.name}: the answer \`refused\` of its case in test/contracts/metric-backends has to hold "${message}" once, since \`refusalShown\` names it: ${refused}`,
    );
  return { good: value, refusal: (words) => `${before}${JSON.stringify(words).slice(1, -1)}${after}` };
}

/** Backends with a stream, which this server plays itself. */
export const STREAMED: readonly string[] = ['splunk'];

const played = Object.entries(templates).filter(([, { type }]) => !STREAMED.includes(type));
/** By the first segment of the path. Read here, where time is real: a test may play in virtual time. */
const answers = new Map(
  await Promise.all(
    [['server', { known: backendCases.prometheus }] as const, ...played].map(
      async ([name, { known }]) => [name, await answersOf(known)] as const,
    ),
  ),
);

/** A server that refuses with all that it knows of the caller: the address, the headers, what they hold in base64 and what that means. */
export async function startEchoServer(network: Network = loopback): Promise<EchoServer> {
  const seen: { path: string; body: string }[] = [];
  const refusing = new Map<string, Refusing>();
  const asked = new Set<string>();
  let count = 0;

  const isRefused = (path: string) => {
    const how = refusing.get(firstOf(path)) ?? 'never';
    const isFirst = !asked.has(path);
    asked.add(path);
    return how === 'always' || (how === 'once' && isFirst);
  };
  const echo = ({ url = '', headers }: IncomingMessage, body: string): string => {
    const basic = /^Basic (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
    const all = JSON.stringify(headers);
    const parts = [String(headers.authorization), url, decodeURIComponent(url), Buffer.from(basic, 'base64').toString(), all];
    const rest = [Buffer.from(all).toString('base64'), body, Buffer.from(body).toString('base64url'), encodeURIComponent(all)];
    // A message only shows the beginning of a refusal: each time it is another part.
    const words = [...parts, ...rest];
    count += 1;
    return [...words.slice(count % words.length), ...words.slice(0, count % words.length)].join(' ');
  };

  const server = createServer(async (request, response) => {
    const body = await text(request);
    const path = (request.url ?? '').split('?')[0] ?? '';
    seen.push({ path, body });
    const first = firstOf(path);
    const known = answers.get(first);
    if (!isRefused(path))
      response.writeHead(200, { 'content-type': 'application/json' }).end(known?.good ?? (first === 'alerts' ? 'ok' : '{}'));
    else {
      const words = echo(request, body);
      response.writeHead(first === 'alerts' ? 503 : 400).end(known?.refusal(words) ?? words);
    }
  });
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    sockets.handleUpgrade(request, socket, head, (open) => {
      const messages: string[] = [];
      open.on('message', (data) => {
        messages.push(String(data));
        if (messages.length < 2) return;
        const path = request.url ?? '';
        if (isRefused(path)) open.send(JSON.stringify({ type: 'error', error: 400, message: echo(request, messages.join()) }));
        else {
          open.send(frameOf({ 1: 1 }));
          open.send(JSON.stringify({ channel: 'ch-1', type: 'control-message', event: 'END_OF_CHANNEL' }));
        }
      });
    });
  });
  const listener = await network.listen(server);
  return {
    origin: listener.url,
    seen,
    refuses(first, how) {
      refusing.set(first, how);
      for (const path of asked) if (firstOf(path) === first) asked.delete(path);
    },
    stop: () => {
      for (const socket of sockets.clients) socket.terminate();
      return listener.close(true);
    },
  };
}

const firstOf = (path: string): string => path.split('/')[1] ?? '';
