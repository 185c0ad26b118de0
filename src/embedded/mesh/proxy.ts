import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { asPod, type Pod } from '../../api/kinds/pod.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { eachChunk } from '../../kube/each-chunk.ts';
import { endOf } from '../network-policy/connection.ts';
import { PORT_HEADER } from '../nodes/app.ts';
import { realWorld } from '../world.ts';
import { chooseEndpoint, failureAt, isRetried, noteTry, refusedConnection, resolveRoute } from './choices.ts';
import { ClientAffinity } from './client-affinity.ts';
import { DestinationState } from './destination-policy.ts';
import type { Endpoint } from './endpoints.ts';
import { type AnswerOf, type ModelledOutcome, type ModelledRequest, modelRequest } from './modelled-request.ts';
import type { ProxyContext, ProxyState } from './proxy-context.ts';
import type { Destination } from './request.ts';
import { type MeshRequest, parseHost, requestPath } from './request.ts';
import { type DirectResponse, type HeaderChanges, PLAIN_ROUTE, type ResolvedRoute } from './resolved-route.ts';
import type { Client } from './service-proxy.ts';
import { callUpstream, type UpstreamAnswer } from './upstream.ts';

/** The pod (`namespace/name`) that sends a request: network policies see it, short host names and source labels are those of the pod. */
export const SOURCE_POD_HEADER = 'x-serin-source-pod';

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
  SOURCE_POD_HEADER,
  'x-serin-client',
  'x-serin-entry',
];

export type MeshProxy = Awaited<ReturnType<typeof startProxy>>;

/** One sidecar or gateway: an HTTP server that routes by its own view. */
export async function startProxy(wiring: ProxyContext) {
  const { clock, network } = wiring.world ?? realWorld;
  const pods = wiring.agent ?? network.agent();
  const nowMs = () => clock.monotonicMs();
  const context = { ...wiring, clock, pods, affinity: new ClientAffinity(nowMs), destinations: new DestinationState(nowMs) };
  const server = createServer((request, response) => {
    void respond(context, request, response).catch((error: unknown) =>
      refuse(response, { status: 500, reason: `proxy: ${String(error)}` }),
    );
  });
  // Clients close what they keep: a connection dropped here as idle would lose the request that a client is just sending on it.
  server.keepAliveTimeout = 0;
  const listener = await network.listen(server);
  return {
    url: listener.url,
    /** The same route, without a connection: the answer of a pod is computed. */
    model: (request: ModelledRequest, answerOf: AnswerOf, count: number): ModelledOutcome =>
      modelRequest(context, request, answerOf, count),
    stop(): Promise<void> {
      context.view.stop();
      return listener.close(true);
    },
  };
}

async function respond(context: ProxyState, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const startedMs = context.clock.monotonicMs();
  const source = sourcePodOf(context, incoming);
  if (source === 'not found') return refuse(response, { status: 400, reason: `${SOURCE_POD_HEADER} has to name a pod: namespace/name` });
  const request = readRequest(incoming, source);
  const parts: Buffer[] = [];
  await eachChunk(incoming, (part) => void parts.push(part));
  const body = Buffer.concat(parts);
  const route = resolveRoute(context.view, request)(context.random);
  if ('reason' in route) {
    report(context, request, request.host.service ?? { name: request.host.text, namespace: '' }, route, { startedMs });
    refuse(response, route);
    return;
  }
  const call = { ...outgoing(request, route, body, context.agent !== undefined), client: clientOf(incoming, request, source) };
  for (const mirror of route.mirrors) void sendMirror(context, mirror, call, route, request);
  const outcome = await sendTo(context, route.destination, call, route);
  report(context, request, route.destination, outcome, { startedMs, route });
  if ('reason' in outcome) {
    refuse(response, outcome);
    return;
  }
  const { headers } = outcome;
  for (const name of HOP_HEADERS) delete headers[name];
  for (const changes of route.responseHeaders) changeHeaders(headers, changes);
  response.writeHead(outcome.status, headers);
  response.end(outcome.body);
}

/** Tells the mesh how a request, or a copy of it, ended. */
function report(
  context: ProxyState,
  { method, url }: MeshRequest,
  destination: Destination,
  outcome: ProxiedAnswer,
  { startedMs, route, isMirror = false }: { startedMs: number; route?: ResolvedRoute; isMirror?: boolean },
): void {
  const { status, pod } = outcome;
  const reason = 'reason' in outcome ? outcome.reason : undefined;
  const durationMs = context.clock.monotonicMs() - startedMs;
  const isProxyError = reason !== undefined;
  context.onAnswer({ method, path: requestPath(url), destination, pod, status, reason, isProxyError, isMirror, durationMs }, route);
}

/** `undefined` if the request names none. */
function sourcePodOf({ podOf }: ProxyState, { headers }: IncomingMessage): Pod | 'not found' | undefined {
  const key = headers[SOURCE_POD_HEADER]?.toString();
  if (key === undefined) return undefined;
  const [namespace = '', name = ''] = key.split('/');
  const pod = podOf(namespace, name);
  return pod ? asPod(pod) : 'not found';
}

function readRequest(incoming: IncomingMessage, source: Pod | undefined): MeshRequest {
  const { headers } = incoming;
  const text = (name: string): string | undefined => headers[name]?.toString();
  const sourceNamespace = text('x-serin-namespace') ?? source?.metadata.namespace;
  const sourceLabels = text('x-serin-source-labels');
  return {
    method: incoming.method ?? 'GET',
    url: incoming.url ?? '/',
    headers,
    host: parseHost(text('x-serin-host') ?? headers.host ?? '', sourceNamespace ?? 'default'),
    gateway: text('x-serin-gateway') ?? 'mesh',
    sourceLabels:
      sourceLabels === undefined
        ? (source?.metadata.labels ?? {})
        : Object.fromEntries(new URLSearchParams(sourceLabels.replaceAll(',', '&'))),
    ...(sourceNamespace !== undefined && { sourceNamespace }),
  };
}

/**
 * The client by headers, since all connections come from loopback: a pod, an address (`x-serin-client`), or any pod of a namespace with the labels that
 * a client of routes has; and whether it comes by a node port (`x-serin-entry: node-port`).
 */
function clientOf({ headers, socket }: IncomingMessage, request: MeshRequest, source: Pod | undefined): Client {
  const { sourceNamespace: namespace, sourceLabels: labels } = request;
  const pod = source && endOf(source);
  const address = headers['x-serin-client']?.toString() ?? pod?.address ?? socket.remoteAddress ?? '';
  const end = pod ?? (namespace === undefined ? { address } : { address, pod: { namespace, labels } });
  return { address, isOutside: headers['x-serin-entry'] === 'node-port', end };
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

type ProxiedAnswer = (UpstreamAnswer | DirectResponse) & { pod?: KubeObject | undefined };

async function sendTo(context: ProxyState, destination: Destination, call: ForwardedRequest, route: ResolvedRoute): Promise<ProxiedAnswer> {
  const policy = route.policyOf?.(destination);
  if (!policy) return await tryPods(context, destination, call, route);
  const leave = await context.destinations.enter(`${destination.namespace}/${destination.name}`, policy);
  if (!leave) return { status: 503, reason: 'too many requests wait for a connection' };
  return await tryPods(context, destination, call, route).finally(leave);
}

async function tryPods(
  context: ProxyState,
  destination: Destination,
  call: ForwardedRequest,
  route: ResolvedRoute,
): Promise<ProxiedAnswer> {
  const { clock, pods: agent } = context;
  const deadlineMs = route.timeoutMs === undefined ? Number.POSITIVE_INFINITY : clock.monotonicMs() + route.timeoutMs;
  const tried = new Set<string>();
  for (let attempt = 0; ; attempt += 1) {
    const endpoint = chooseEndpoint(context, destination, route, call.client, tried);
    if ('reason' in endpoint) return endpoint;
    tried.add(endpoint.ip);
    if (route.via === 'Service') context.affinity.keep(`${destination.namespace}/${destination.name}`, call.client.address, endpoint.ip);
    const leftMs = Math.min(deadlineMs - clock.monotonicMs(), route.retries.perTryTimeoutMs ?? Number.POSITIVE_INFINITY);
    const port = context.portOf(endpoint.ip);
    const outcome =
      refusedConnection(context, call.client, endpoint) ??
      (port === undefined
        ? ({ failure: 'connect-failure' } as const)
        : await callUpstream(port, tryOf(call, route, endpoint, attempt), Number.isFinite(leftMs) ? Math.max(1, leftMs) : undefined, {
            agent,
            clock,
          }));
    noteTry(context, destination, endpoint, outcome, route);
    const mayRetry = attempt < route.retries.attempts && clock.monotonicMs() < deadlineMs && isRetried(outcome, route.retries.on);
    if (mayRetry) continue;
    const pod = context.podOf(endpoint.namespace, endpoint.pod);
    return 'failure' in outcome ? { ...failureAt(endpoint, outcome), pod } : { ...outcome, pod };
  }
}

/** The request as one pod receives it. */
function tryOf(call: ForwardedRequest, { countsTriesIn }: ResolvedRoute, { targetPort }: Endpoint, attempt: number): ForwardedRequest {
  const headers = { ...call.headers };
  if (targetPort !== undefined) headers[PORT_HEADER] = String(targetPort);
  if (countsTriesIn !== undefined) headers[countsTriesIn] = String(attempt + 1);
  return { ...call, headers };
}

/** A copy: its answer is counted where it lands and otherwise thrown away. */
async function sendMirror(
  context: ProxyState,
  destination: Destination,
  call: ForwardedRequest,
  route: ResolvedRoute,
  request: MeshRequest,
) {
  const startedMs = context.clock.monotonicMs();
  const [host = '', port] = (call.headers.host ?? '').split(':');
  const copy = { ...call, headers: { ...call.headers, host: `${host}-shadow${port === undefined ? '' : `:${port}`}` } };
  const outcome = await sendTo(context, destination, copy, { ...route, retries: PLAIN_ROUTE.retries });
  report(context, request, destination, outcome, { startedMs, route, isMirror: true });
}

function refuse(response: ServerResponse, { status, reason, headers }: DirectResponse): void {
  if (response.headersSent) return;
  response.writeHead(status, { 'content-type': 'text/plain', 'x-serin-proxy-error': reason, ...headers });
  response.end(reason);
}
