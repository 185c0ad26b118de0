import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { KubeObject } from '../../api/kube-object.ts';
import { eachChunk } from '../../kube/each-chunk.ts';
import { realWorld } from '../world.ts';
import { isRetried, pick, resolveRoute } from './choices.ts';
import { ClientAffinity } from './client-affinity.ts';
import type { Destination } from './destination.ts';
import { endpointsOf } from './endpoints.ts';
import type { LaggedView } from './lagged-view.ts';
import { type AnswerOf, type ModelledOutcome, type ModelledRequest, modelRequest } from './modelled-request.ts';
import type { ProxyContext, Standing } from './proxy-context.ts';
import { type MeshRequest, parseHost, pathOf } from './request.ts';
import type { DirectResponse, HeaderChanges, ResolvedRoute } from './resolved-route.ts';
import { type Client, serviceEndpoints } from './service-proxy.ts';
import { callUpstream, type UpstreamAnswer } from './upstream.ts';

export interface MeshProxy {
  readonly url: string;
  readonly view: LaggedView;
  /** The same route, without a connection: what a pod answers is computed. */
  model(request: ModelledRequest, answerOf: AnswerOf, count: number): ModelledOutcome;
  stop(): Promise<void>;
}

/** Headers that speak to this proxy or of one connection, and are not passed on. */
const HOP_HEADERS = [
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'x-serin-host',
  'x-serin-source-labels',
  'x-serin-gateway',
  'x-serin-namespace',
  'x-serin-client',
  'x-serin-entry',
];

/** One sidecar or gateway: an HTTP server that routes by what its own view holds. */
export async function startProxy(wiring: ProxyContext): Promise<MeshProxy> {
  const { clock, network } = wiring.world ?? realWorld;
  const pods = wiring.agent ?? network.agent();
  const context = { ...wiring, clock, pods, affinity: new ClientAffinity(() => clock.monotonicMs()) };
  const server = createServer((request, response) => {
    void answer(context, request, response).catch((error: unknown) => refuse(response, { status: 500, reason: `proxy: ${String(error)}` }));
  });
  // Clients close what they keep: a connection dropped here as idle would lose the request that a client is just sending on it.
  server.keepAliveTimeout = 0;
  const listener = await network.listen(server);
  return {
    url: listener.url,
    view: context.view,
    model: (request, answerOf, count) => modelRequest(context, request, answerOf, count),
    stop() {
      context.view.stop();
      return listener.close(true);
    },
  };
}

async function answer(context: Standing, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const startedMs = context.clock.monotonicMs();
  const request = readRequest(incoming);
  const parts: Buffer[] = [];
  await eachChunk(incoming, (part) => void parts.push(part));
  const body = Buffer.concat(parts);
  const route = resolveRoute(context.view, request)(context.random);
  const seen = { method: request.method, path: pathOf(request.url) };
  if ('reason' in route) {
    const destination = request.host.service ?? { name: request.host.text, namespace: '' };
    context.onAnswer({
      ...seen,
      destination,
      status: route.status,
      reason: route.reason,
      isProxyError: true,
      isMirror: false,
      durationMs: context.clock.monotonicMs() - startedMs,
    });
    refuse(response, route);
    return;
  }
  const call = { ...outgoing(request, route, body, context.agent !== undefined), client: clientOf(incoming) };
  for (const mirror of route.mirrors) void sendMirror(context, mirror, call, route, seen);
  const outcome = await sendTo(context, route.destination, call, route);
  const durationMs = context.clock.monotonicMs() - startedMs;
  const common = { ...seen, destination: route.destination, isMirror: false, durationMs, ...(outcome.pod ? { pod: outcome.pod } : {}) };
  if ('reason' in outcome) {
    context.onAnswer({ ...common, status: outcome.status, reason: outcome.reason, isProxyError: true }, route);
    refuse(response, outcome);
    return;
  }
  context.onAnswer({ ...common, status: outcome.status, isProxyError: false }, route);
  const headers = outcome.headers;
  for (const name of HOP_HEADERS) delete headers[name];
  for (const changes of route.responseHeaders) changeHeaders(headers, changes);
  response.writeHead(outcome.status, headers);
  response.end(outcome.body);
}

function readRequest(incoming: IncomingMessage): MeshRequest {
  const { headers } = incoming;
  const text = (name: string): string | undefined => headers[name]?.toString();
  return {
    method: incoming.method ?? 'GET',
    url: incoming.url ?? '/',
    headers,
    host: parseHost(text('x-serin-host') ?? headers.host ?? '', text('x-serin-namespace') ?? 'default'),
    gateway: text('x-serin-gateway') ?? 'mesh',
    sourceLabels: Object.fromEntries(new URLSearchParams((text('x-serin-source-labels') ?? '').replaceAll(',', '&'))),
  };
}

/** The client by headers, since all connections come from loopback: an address, and whether by a node port (`x-serin-entry: node-port`). */
function clientOf({ headers, socket }: IncomingMessage): Client {
  const address = headers['x-serin-client']?.toString() ?? socket.remoteAddress ?? '';
  return { address, isOutside: headers['x-serin-entry'] === 'node-port' };
}

interface ForwardedRequest {
  client: Client;
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

function outgoing(request: MeshRequest, route: ResolvedRoute, body: Buffer, isKept: boolean): Omit<ForwardedRequest, 'client'> {
  const headers: IncomingHttpHeaders = {
    ...request.headers,
    host: route.rewrite?.authority ?? request.host.text,
    'x-forwarded-proto': 'http',
  };
  for (const name of HOP_HEADERS) delete headers[name];
  headers.connection = isKept ? 'keep-alive' : 'close';
  if (body.length > 0) headers['content-length'] = String(body.length);
  for (const changes of route.requestHeaders) changeHeaders(headers, changes);
  return { method: request.method, url: route.rewrite?.url ?? request.url, headers, body };
}

/** `add` appends, `set` replaces, `remove` goes last. Source: Istio Headers.HeaderOperations. */
function changeHeaders(headers: IncomingHttpHeaders, { add = {}, set = {}, remove = [] }: HeaderChanges): void {
  for (const [name, value] of Object.entries(set)) headers[name.toLowerCase()] = value;
  for (const [name, value] of Object.entries(add)) {
    const before = headers[name.toLowerCase()];
    headers[name.toLowerCase()] = before === undefined ? (name.toLowerCase() === 'set-cookie' ? [value] : value) : [before, value].flat();
  }
  for (const name of remove) delete headers[name.toLowerCase()];
}

type ProxiedAnswer = (UpstreamAnswer & { pod?: KubeObject }) | (DirectResponse & { pod?: KubeObject });

async function sendTo(context: Standing, destination: Destination, call: ForwardedRequest, route: ResolvedRoute): Promise<ProxiedAnswer> {
  const deadlineMs = route.timeoutMs === undefined ? Number.POSITIVE_INFINITY : context.clock.monotonicMs() + route.timeoutMs;
  const tried = new Set<string>();
  for (let attempt = 0; ; attempt += 1) {
    const { view, affinity } = context;
    const isPlain = route.via === 'Service';
    const endpoints = isPlain
      ? serviceEndpoints(view, destination, context.place(), call.client, affinity)
      : endpointsOf(view, destination);
    if (!endpoints) return { status: 503, reason: `no Service ${destination.namespace}/${destination.name}` };
    const endpoint = pick(endpoints, tried, context.random);
    if (!endpoint) return { status: 503, reason: `no healthy upstream in ${destination.namespace}/${destination.name}` };
    tried.add(endpoint.ip);
    if (isPlain) affinity.keep(`${destination.namespace}/${destination.name}`, call.client.address, endpoint.ip);
    const leftMs = Math.min(deadlineMs - context.clock.monotonicMs(), route.retries.perTryTimeoutMs ?? Number.POSITIVE_INFINITY);
    const port = context.portOf(endpoint.ip);
    const outcome =
      port === undefined
        ? ({ failure: 'connect-failure' } as const)
        : await callUpstream(port, call, Number.isFinite(leftMs) ? Math.max(1, leftMs) : undefined, {
            agent: context.pods,
            clock: context.clock,
          });
    const mayRetry = attempt < route.retries.attempts && context.clock.monotonicMs() < deadlineMs && isRetried(outcome, route.retries.on);
    if (mayRetry) continue;
    const pod = context.podOf(endpoint.namespace, endpoint.pod);
    const by = pod ? { pod } : {};
    if (!('failure' in outcome)) return { ...outcome, ...by };
    return { status: outcome.failure === 'timeout' ? 504 : 503, reason: `${outcome.failure} at ${endpoint.pod}`, ...by };
  }
}

/** A copy: its answer is counted where it lands and otherwise thrown away. */
async function sendMirror(
  context: Standing,
  destination: Destination,
  call: ForwardedRequest,
  route: ResolvedRoute,
  seen: { method: string; path: string },
): Promise<void> {
  const startedMs = context.clock.monotonicMs();
  const [host = '', port] = (call.headers.host ?? '').split(':');
  const copy = { ...call, headers: { ...call.headers, host: `${host}-shadow${port === undefined ? '' : `:${port}`}` } };
  const outcome = await sendTo(context, destination, copy, { ...route, retries: { attempts: 0, on: [] } });
  const by = outcome.pod ? { pod: outcome.pod } : {};
  const reason = 'reason' in outcome ? { reason: outcome.reason } : {};
  context.onAnswer(
    {
      ...seen,
      ...by,
      ...reason,
      destination,
      status: outcome.status,
      isProxyError: 'reason' in outcome,
      isMirror: true,
      durationMs: context.clock.monotonicMs() - startedMs,
    },
    route,
  );
}

function refuse(response: ServerResponse, { status, reason }: DirectResponse): void {
  if (response.headersSent) return;
  response.writeHead(status, { 'content-type': 'text/plain', 'x-serin-proxy-error': reason });
  response.end(reason);
}
