import type { Destination } from './destination.ts';
import type { Metrics } from './exposition.ts';
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
  rewrite?: { url?: string; authority?: string };
  /** Of the whole request, with its retries. */
  timeoutMs?: number;
  retries: { attempts: number; perTryTimeoutMs?: number; on: readonly string[] };
  /** Counters of this provider's own proxy, beside those of sidecars and applications. */
  count?(metrics: Metrics, answered: MeshAnswer): void;
}

/** The proxy itself answers: no route, no backend. */
export interface DirectResponse {
  status: number;
  reason: string;
}
