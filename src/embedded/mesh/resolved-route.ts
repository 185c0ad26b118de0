import { parseDuration } from '../../api/duration.ts';
import type { DestinationPolicy } from './destination-policy.ts';
import type { Metrics } from './exposition.ts';
import type { Destination } from './request.ts';
import type { MeshAnswer } from './traffic-metrics.ts';

export interface HeaderChanges {
  add?: Record<string, string>;
  set?: Record<string, string>;
  remove?: string[];
}

export interface ResolvedRoute {
  /** The kind of object that decided; `Service` where none did. */
  via: string;
  destination: Destination;
  /** Copies to send besides. */
  mirrors: Destination[];
  requestHeaders: HeaderChanges[];
  responseHeaders: HeaderChanges[];
  rewrite?: { url?: string; authority?: string } | undefined;
  /** Timeout of the whole request, with its retries. */
  timeoutMs?: number | undefined;
  retries: { attempts: number; perTryTimeoutMs?: number | undefined; on: readonly string[] };
  /** Balancing of a destination, by default over all its pods. */
  policyOf?(destination: Destination): DestinationPolicy | undefined;
  /** Header that says to pods which try this is. */
  countsTriesIn?: string;
  /** Counters of this provider's own proxy, beside those of sidecars and applications. */
  count?(metrics: Metrics, answered: MeshAnswer): void;
}

/** Parts of a route that leaves the request unmodified, copies nothing and tries once. */
export const PLAIN_ROUTE = {
  mirrors: [],
  requestHeaders: [],
  responseHeaders: [],
  retries: { attempts: 0, on: [] },
} satisfies Partial<ResolvedRoute>;

/** Milliseconds; none for an absent text and for zero, which lets a request take any time. */
export const timeoutIn = (text: string | undefined): number | undefined => parseDuration(text ?? '') || undefined;

/** The proxy itself answers: no route, no backend. */
export interface DirectResponse {
  status: number;
  reason: string;
  headers?: Record<string, string>;
}
