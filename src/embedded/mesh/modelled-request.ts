import type { IncomingHttpHeaders } from 'node:http';
import type { KubeObject } from '../../api/kube-object.ts';
import type { ConnectionEnd } from '../network-policy/connection.ts';
import { chooseEndpoint, failureAt, isRetried, noteTry, refusedConnection, resolveRoute } from './choices.ts';
import type { ProxyState } from './proxy-context.ts';
import type { Destination } from './request.ts';
import { parseHost, requestPath } from './request.ts';
import { PLAIN_ROUTE, type ResolvedRoute } from './resolved-route.ts';
import type { Client } from './service-proxy.ts';

/** Requests alike should be one object: its route is read once for each state of the view. */
export interface ModelledRequest {
  /** `name.namespace`, or the host of a route. */
  host: string;
  path: string;
  headers: IncomingHttpHeaders;
  /** Gateway `namespace/name` that it entered by; `mesh` for one from inside. */
  gateway: string;
  /** For network policies; absent for a client without an address. */
  source?: ConnectionEnd;
}

/** `undefined` if the pod refuses the connection. */
export type AnswerOf = (pod: KubeObject) => { status: number; durationMs: number } | undefined;

export interface ModelledOutcome {
  status: number;
  durationMs: number;
  /** The pod that answered. */
  pod?: KubeObject | undefined;
  /** The proxy answered itself. */
  reason?: string | undefined;
}

const METHOD = 'GET';
const CLIENT: Client = { address: '', isOutside: false };
const NONE: ReadonlySet<string> = new Set();

/** Routed as by HTTP, with retries, deadlines and copies; no connection is made and no time passes. */
export function modelRequest(context: ProxyState, request: ModelledRequest, answerOf: AnswerOf, count: number): ModelledOutcome {
  const { host, path, choice } = context.view.once(request, () => {
    const { path: url, headers, gateway } = request;
    const asked = { method: METHOD, url, headers, host: parseHost(request.host, 'default'), gateway, sourceLabels: {} };
    return { host: asked.host, path: requestPath(url), choice: resolveRoute(context.view, asked) };
  });
  const route = choice(context.random);
  if ('reason' in route) {
    const destination = host.service ?? { name: host.text, namespace: '' };
    const { status, reason } = route;
    context.onAnswer({ method: METHOD, path, count, destination, status, reason, isProxyError: true, isMirror: false, durationMs: 0 });
    return { status, reason, durationMs: 0 };
  }
  // Field by field, here and below: each request of a rehearsal comes by.
  const answered = (destination: Destination, { status, durationMs, pod, reason }: ModelledOutcome, isMirror: boolean): void => {
    const isProxyError = reason !== undefined;
    context.onAnswer({ method: METHOD, path, count, destination, status, durationMs, pod, reason, isProxyError, isMirror }, route);
  };
  const client: Client = request.source ? { ...CLIENT, end: request.source } : CLIENT;
  const send = (destination: Destination, by: ResolvedRoute) => attempts(context, destination, by, answerOf, client);
  for (const mirror of route.mirrors) answered(mirror, send(mirror, { ...route, retries: PLAIN_ROUTE.retries }), true);
  const outcome = send(route.destination, route);
  answered(route.destination, outcome, false);
  return outcome;
}

function attempts(
  context: ProxyState,
  destination: Destination,
  route: ResolvedRoute,
  answerOf: AnswerOf,
  client: Client,
): ModelledOutcome {
  let tried = NONE;
  const mostMs = route.timeoutMs ?? Number.POSITIVE_INFINITY;
  let durationMs = 0;
  for (let attempt = 0; ; attempt += 1) {
    const endpoint = chooseEndpoint(context, destination, route, client, tried);
    if ('reason' in endpoint) return { ...endpoint, durationMs };
    const pod = context.podOf(endpoint.namespace, endpoint.pod);
    const refused = refusedConnection(context, client, endpoint);
    const answer = refused || !pod ? undefined : answerOf(pod);
    const leftMs = Math.min(mostMs - durationMs, route.retries.perTryTimeoutMs ?? Number.POSITIVE_INFINITY);
    const isLate = answer !== undefined && answer.durationMs > leftMs;
    durationMs += Math.min(answer?.durationMs ?? 0, leftMs);
    const outcome = isLate ? ({ failure: 'timeout' } as const) : (answer ?? refused ?? ({ failure: 'connect-failure' } as const));
    noteTry(context, destination, endpoint, outcome, route);
    if (attempt < route.retries.attempts && durationMs < mostMs && isRetried(outcome, route.retries.on)) {
      tried = new Set([...tried, endpoint.ip]);
      continue;
    }
    if (!('failure' in outcome)) return { status: outcome.status, durationMs, pod };
    return { ...failureAt(endpoint, outcome), durationMs, pod };
  }
}
