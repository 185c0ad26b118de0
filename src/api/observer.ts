/** Selectors of the counters of one side, templates as the queries are. */
export interface SideCounters {
  requests: string;
  /** Those that did not fail. */
  succeeded: string;
  /** Buckets of the durations. */
  buckets: string;
}

/** Counters that only rise until their process ends, of both sides of a comparison. */
export interface Counters {
  canary: SideCounters;
  primary: SideCounters;
  /** The unit of the bounds of `buckets`. */
  bucketUnit: 'ms' | 's';
  /** The label that tells pods apart; absent where proxies count, each the requests to all pods. */
  podLabel?: string;
}

/** The built-in queries of one mesh or ingress; templates in the language of `query-template.ts`. */
export interface Observer {
  name: string;
  /** Gives percent of requests that did not fail, 0–100. */
  requestSuccessRate: string;
  /** The rate of requests if no series of successes exists, else nothing: run when the success rate is empty. */
  onlyFailures: string;
  /** Gives the number of requests in the window: asked where a metric wants a minimum of them. */
  requestCount: string;
  /** Gives the latency in `durationUnit`. */
  requestDuration: string;
  /** The same as a quantile, 0–1, of every request. */
  requestDurationAt(quantile: number): string;
  durationUnit: 'ms' | 's';
  /** The kind of value of `requestDuration`: a few providers publish no histogram that fits. */
  durationStatistic: 'p99' | 'mean';
  /** Whether `{{ target }}` alone chooses the side measured, so that the same query can be asked for the primary. */
  selectsWorkload: boolean;
  /** For a comparison with the primary; or why the provider's counters cannot tell the sides apart. */
  counters: Counters | { unavailable: string };
  /** Skipper turns each character outside `[0-9A-Za-z_]` of a name into `_` (05-B23). */
  underscoreNames?: boolean;
  /** So much later than a request its counters can show it, apart from the time between two scrapes. Milliseconds; absent: at once. */
  counterDelayMs?: number;
}
