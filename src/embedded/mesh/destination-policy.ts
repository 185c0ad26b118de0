import { createHash } from 'node:crypto';
import { parseDuration } from '../../api/duration.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { keptIn } from '../../base/once.ts';
import type { Endpoint } from './endpoints.ts';
import { escapedQueryOf } from './http-match.ts';
import { headerOf, type MeshRequest } from './request.ts';

/** `trafficPolicy` of a DestinationRule, as far as the proxies follow it. */
interface TrafficPolicy {
  loadBalancer?: {
    consistentHash?: {
      httpHeaderName?: string;
      httpCookie?: { name?: string; path?: string; ttl?: string };
      httpQueryParameterName?: string;
    };
  };
  outlierDetection?: { consecutive5xxErrors?: number; baseEjectionTime?: string; maxEjectionPercent?: number };
  connectionPool?: { tcp?: { maxConnections?: number }; http?: { http1MaxPendingRequests?: number } };
}

/** Balancing of one request over the pods of its destination. */
export interface DestinationPolicy extends TrafficPolicy {
  /** Requests with the same text go to the same pod. */
  hashed?: string | undefined;
}

export function policyOf(rule: KubeObject | undefined, request: MeshRequest): DestinationPolicy | undefined {
  const { trafficPolicy } = specOf<{ trafficPolicy: TrafficPolicy }>(rule);
  return trafficPolicy && { ...trafficPolicy, hashed: hashedText(trafficPolicy, request) };
}

/** The cookie by which a client is known from now on, `undefined` if it has one, or the policy gives none. */
export function freshCookie({ hashed, loadBalancer }: DestinationPolicy, random: () => number): { pair: string; text: string } | undefined {
  const { name, path, ttl } = loadBalancer?.consistentHash?.httpCookie ?? {};
  if (hashed !== undefined || name === undefined || ttl === undefined) return undefined;
  const pair = `${name}="${Math.floor(random() * 2 ** 48).toString(16)}"`;
  const attributes = [`Max-Age=${Math.floor((parseDuration(ttl) ?? 0) / 1000)}`, ...(path ? [`Path=${path}`] : []), 'HttpOnly'];
  return { pair, text: [pair, ...attributes].join('; ') };
}

function hashedText({ loadBalancer }: TrafficPolicy, request: MeshRequest): string | undefined {
  const { httpHeaderName, httpCookie, httpQueryParameterName } = loadBalancer?.consistentHash ?? {};
  if (httpHeaderName !== undefined) return headerOf(request, httpHeaderName);
  if (httpQueryParameterName !== undefined) return escapedQueryOf(request, httpQueryParameterName);
  const cookies = headerOf(request, 'cookie')?.split(/; */) ?? [];
  return cookies.find((cookie) => httpCookie?.name !== undefined && cookie.startsWith(`${httpCookie.name}=`));
}

/** The same endpoint for the same text, as long as it exists. */
export function hashedTo(endpoints: readonly Endpoint[], text: string): Endpoint | undefined {
  const ranks = endpoints.map((endpoint) => ({ endpoint, rank: createHash('md5').update(`${endpoint.ip} ${text}`).digest('hex') }));
  return ranks.toSorted((a, b) => (a.rank < b.rank ? -1 : 1))[0]?.endpoint;
}

/** Envoy's defaults. Source: envoy.config.cluster.v3.OutlierDetection. */
const OUTLIER = { errors: 5, baseMs: 30_000, mostPercent: 10, longestMs: 300_000 };

interface Tracked {
  errors: number;
  times: number;
  ejectedUntilMs: number;
}

/** One proxy's memory of the pods and the connections of each destination. */
export class DestinationState {
  readonly #nowMs: () => number;
  readonly #pods = new Map<string, Tracked>();
  readonly #pools = new Map<string, { open: number; waiting: (() => void)[] }>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Endpoints that no failures have excluded. */
  healthy(destination: string, endpoints: readonly Endpoint[], { outlierDetection }: DestinationPolicy): readonly Endpoint[] {
    return outlierDetection ? endpoints.filter(({ ip }) => !this.#isEjected(destination, ip)) : endpoints;
  }

  /** Records the result of a try; `all`: every pod of the destination. */
  note(destination: string, { ip }: Endpoint, isFailure: boolean, { outlierDetection }: DestinationPolicy, all: readonly Endpoint[]): void {
    if (!outlierDetection) return;
    const { consecutive5xxErrors = OUTLIER.errors, baseEjectionTime = '', maxEjectionPercent = OUTLIER.mostPercent } = outlierDetection;
    const pod = keptIn(this.#pods, `${destination} ${ip}`, () => ({ errors: 0, times: 0, ejectedUntilMs: 0 }));
    pod.errors = isFailure ? pod.errors + 1 : 0;
    if (consecutive5xxErrors === 0 || pod.errors < consecutive5xxErrors || this.#isEjected(destination, ip)) return;
    const ejected = all.filter((each) => this.#isEjected(destination, each.ip)).length;
    if (((ejected + 1) * 100) / all.length > maxEjectionPercent) return;
    pod.errors = 0;
    pod.times += 1;
    const longMs = Math.min((parseDuration(baseEjectionTime) ?? OUTLIER.baseMs) * pod.times, OUTLIER.longestMs);
    pod.ejectedUntilMs = this.#nowMs() + longMs;
  }

  /** Resolves, once there is a connection, with the function that ends it; `undefined` if too many requests wait for one. */
  enter(destination: string, { connectionPool: { tcp, http } = {} }: DestinationPolicy): Promise<() => void> | undefined {
    const pool = keptIn(this.#pools, destination, () => ({ open: 0, waiting: [] }));
    const leave = (): void => {
      pool.open -= 1;
      pool.waiting.shift()?.();
    };
    const { promise, resolve } = Promise.withResolvers<() => void>();
    const begin = (): void => {
      pool.open += 1;
      resolve(leave);
    };
    if (pool.open < (tcp?.maxConnections ?? Number.POSITIVE_INFINITY)) begin();
    else if (pool.waiting.length < (http?.http1MaxPendingRequests ?? Number.POSITIVE_INFINITY)) pool.waiting.push(begin);
    else return undefined;
    return promise;
  }

  #isEjected(destination: string, ip: string): boolean {
    return (this.#pods.get(`${destination} ${ip}`)?.ejectedUntilMs ?? 0) > this.#nowMs();
  }
}
