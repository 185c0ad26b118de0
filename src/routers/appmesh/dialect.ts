/** Differences between the routes of App Mesh's two versions. */
export interface Dialect {
  /** The field of a route that holds its HTTP part. */
  readonly http: 'http' | 'httpRoute';
  /** A weighted target, less its weight, and the node that one names. */
  target(virtualNode: string): object;
  targetName(target: Record<string, unknown>): unknown;
  /** The time of one attempt, in milliseconds, as fields of the retry policy. */
  perRetryTimeout(ms: number): object;
  /** The time of a request, in milliseconds, as fields of the route's HTTP part. */
  timeout(ms: number): object;
}

export const v1beta1: Dialect = {
  http: 'http',
  target: (virtualNodeName) => ({ virtualNodeName }),
  targetName: ({ virtualNodeName }) => virtualNodeName,
  perRetryTimeout: (perRetryTimeoutMillis) => ({ perRetryTimeoutMillis }),
  // Only its gateway knows a time of requests, by an annotation.
  timeout: () => ({}),
};

export const v1beta2: Dialect = {
  http: 'httpRoute',
  target: (name) => ({ virtualNodeRef: { name } }),
  targetName: ({ virtualNodeRef }) => (virtualNodeRef as { name?: unknown } | undefined)?.name,
  perRetryTimeout: (value) => ({ perRetryTimeout: { unit: 'ms', value } }),
  timeout: (value) => ({ timeout: { perRequest: { unit: 'ms', value } } }),
};
