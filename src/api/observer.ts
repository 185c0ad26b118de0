/** Selectors of the counters of one side. They are templates like the queries. */
export interface SideCounters {
  requests: string;
  /** Requests that did not fail. */
  succeeded: string;
  /** Buckets of the durations. */
  buckets: string;
}

/** Counters that only rise until their process ends, of both sides of a comparison. */
export interface Counters {
  canary: SideCounters;
  primary: SideCounters;
  /** Unit of the bounds of `buckets`. */
  bucketUnit: 'ms' | 's';
  /** The label that distinguishes pods; absent if proxies count, since each counts the requests to all pods. */
  podLabel?: string;
}

/**
 * The metrics in which a provider counts: they tell why a built-in query found nothing. Matchers are templates like the queries.
 */
export interface CountedSeries {
  /** Names of the metrics of requests and of durations. */
  requests: string;
  durations: string;
  /** Matchers of both sides, and of every workload in the namespace of the Canary. */
  canary: string;
  primary: string;
  namespace: string;
  /** Labels by which they select. The last one names a workload, pod, Service or route. */
  labels: readonly [string, ...string[]];
}

/** The built-in queries of one mesh or ingress; templates in the language of `query-template.ts`. */
export interface Observer {
  name: string;
  /** Gives percent of requests that did not fail, 0–100. */
  requestSuccessRate: string;
  /** The rate of requests if no series of successes exists, else nothing: run when the success rate is empty. */
  onlyFailures: string;
  /** Gives the number of requests in the window: run if a metric requires a minimum. */
  requestCount: string;
  /** Gives the latency in `durationUnit`. */
  requestDuration: string;
  /** Gives the latency as a quantile, 0–1, of all requests. */
  requestDurationAt(quantile: number): string;
  durationUnit: 'ms' | 's';
  /** Kind of value of `requestDuration`: a few providers publish no suitable histogram. */
  durationStatistic: 'p99' | 'mean';
  /** Only `{{ target }}` selects the measured side, so that the same query can be run for the primary. */
  selectsWorkload: boolean;
  series: CountedSeries;
  /** Counters for a comparison with the primary, or the reason for which the provider's counters do not distinguish the sides. */
  counters: Counters | { unavailable: string };
  /** Skipper turns each character outside `[0-9A-Za-z_]` of a name into `_`. */
  underscoreNames?: boolean;
  /** Delay in milliseconds after which a request shows in the counters, apart from the time between two scrapes; 0 if absent. */
  counterDelayMs?: number;
}
