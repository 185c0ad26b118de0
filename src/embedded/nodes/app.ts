import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { World } from '../world.ts';
import type { AppBehaviour } from './behaviour.ts';

/** By which the embedded mesh says the container port that it means: a pod has one port on loopback. */
export const PORT_HEADER = 'x-serin-port';

/** One running pod: a small HTTP application on loopback. */
export interface App {
  /** Address at which it listens, by default loopback. */
  readonly host?: string;
  readonly port: number;
  /** May be changed while it runs; the next request sees it. */
  readonly behaviour: AppBehaviour;
  isReady(): boolean;
  /** Answers a readiness probe here; without it, the probe is sent by HTTP. */
  probe?(): boolean;
  /** Requests being answered now. */
  inFlight(): number;
  answered(): number;
  /** Stops listening; requests under way are finished unless `now`. */
  close(now?: boolean): Promise<void>;
}

export interface AppContext {
  namespace: string;
  pod: string;
  /** Path that answers 503 until the app is ready. */
  readinessPath: string;
  world: World;
  podIP: string;
  /** Port of the first container; `undefined` if it names none. */
  containerPort: number | undefined;
  /** Further ports of the containers. */
  otherPorts: readonly number[];
}

/** Resolves when it listens, which can be before it is ready. */
export async function startApp(behaviour: AppBehaviour, context: AppContext): Promise<App> {
  const { clock, network, random } = context.world;
  const startedMs = clock.monotonicMs();
  let inFlight = 0;
  let answered = 0;
  const recentMs: number[] = [];
  /** Counts the request, also when it is too much: a client that tries again makes it no better. */
  const isOverloaded = (): boolean => {
    if (behaviour.capacityPerSecond <= 0) return false;
    const nowMs = clock.monotonicMs();
    recentMs.push(nowMs);
    while ((recentMs[0] ?? nowMs) <= nowMs - 1000) recentMs.shift();
    return recentMs.length > behaviour.capacityPerSecond;
  };
  const isFaulty = (): boolean => (behaviour.errorEvery > 0 && answered % behaviour.errorEvery === 0) || random() < behaviour.errorRate;
  const isReady = (): boolean => {
    const ranMs = clock.monotonicMs() - startedMs;
    const isFlapping = behaviour.flapsEveryMs > 0 && ranMs % behaviour.flapsEveryMs >= (behaviour.flapsEveryMs * 2) / 3;
    return !behaviour.neverReady && !isFlapping && ranMs >= behaviour.readyAfterMs;
  };

  const answer = (request: IncomingMessage, response: ServerResponse, body: string): void => {
    const path = request.url?.split('?')[0] ?? '/';
    const isProbe = path === context.readinessPath && request.headers['user-agent']?.startsWith('kube-probe');
    const status = isProbe ? (isReady() ? 200 : 503) : isOverloaded() ? 503 : isFaulty() ? 500 : 200;
    if (!isProbe) answered += 1;
    const { pod, namespace } = context;
    const { version } = behaviour;
    const { method, url, socket } = request;
    const { [PORT_HEADER]: port = socket.localPort, ...headers } = request.headers;
    const text = JSON.stringify({ pod, namespace, version, port: Number(port), method, path: url, headers, body });
    response.writeHead(status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      'x-serin-pod': pod,
      'x-serin-version': version,
    });
    response.end(text);
  };

  const server = createServer((request, response) => {
    inFlight += 1;
    response.once('close', () => {
      inFlight -= 1;
    });
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts).toString();
      const isProbe = request.headers['user-agent']?.startsWith('kube-probe');
      if (behaviour.latencyMs > 0 && !isProbe) clock.setTimer(behaviour.latencyMs, () => answer(request, response, body));
      else answer(request, response, body);
    });
  });
  // The client that keeps a connection closes it: dropping an idle one here would fail a request that is just being sent on it.
  server.keepAliveTimeout = 0;
  const listener = await network.listen(server);
  return {
    port: listener.port,
    behaviour,
    isReady,
    inFlight: () => inFlight,
    answered: () => answered,
    close: listener.close,
  };
}
