/** Reason for which a query has no answer, in the words and types of Prometheus' HTTP API. */
export class QueryError extends Error {
  override readonly name = 'QueryError';
  /** `bad_data`: the query is wrong (400); `execution`: it failed on these series (422). */
  readonly errorType: 'bad_data' | 'execution';

  constructor(errorType: 'bad_data' | 'execution', message: string) {
    super(message);
    this.errorType = errorType;
  }
}

/** The query is wrong: HTTP 400. */
export const badData = (message: string) => new QueryError('bad_data', message);
/** The query failed on the series that it found: HTTP 422. */
export const failedExecution = (message: string) => new QueryError('execution', message);
