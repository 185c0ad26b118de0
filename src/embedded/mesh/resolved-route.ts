/** Where a request goes, whichever object said so. */
export interface Destination {
  name: string;
  namespace: string;
}

export interface HeaderChanges {
  add?: Record<string, string>;
  set?: Record<string, string>;
  remove?: string[];
}

export interface ResolvedRoute {
  via: 'VirtualService' | 'TrafficSplit' | 'KnativeService' | 'Service';
  destination: Destination;
  /** Copies to send besides. */
  mirrors: Destination[];
  requestHeaders: HeaderChanges[];
  responseHeaders: HeaderChanges[];
  rewrite?: { url?: string; authority?: string };
  /** Of the whole request, with its retries. */
  timeoutMs?: number;
  retries: { attempts: number; perTryTimeoutMs?: number; on: readonly string[] };
}

/** The proxy itself answers: no route, no backend. */
export interface Refusal {
  status: number;
  reason: string;
}
