/** Metrics that the queries of the traffic provider measure. */
export const builtIn: readonly string[] = ['request-success-rate', 'request-duration'];
