/** A route that the provider cannot express as asked. Writing something near it could put the wrong users on the canary. */
export class RoutingError extends Error {
  override readonly name = 'RoutingError';
  readonly code = 'ROUTE_NOT_EXPRESSIBLE';
  readonly audience = 'user';
  readonly retry = 'afterEdit';
}

/** The message of the `RoutingError` that `attempt` throws; undefined when it throws none. Other errors pass through. */
export function rejectionOf(attempt: () => unknown): string | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    if (error instanceof RoutingError) return error.message;
    throw error;
  }
}

/**
 * The field of a Canary that a rejection is about, and its defect. Most rejections begin with the field, below `spec`; those of the
 * whole strategy are about `spec.provider`.
 */
export function placedRefusal(rejection: string): { field: string; message: string } {
  const [, field, message] = /^(?:spec\.)?((?:service|analysis)(?:\.\w+|\[\d+\])*)[: ]+(.*)/s.exec(rejection) ?? [];
  return field === undefined || message === undefined
    ? { field: 'spec.provider', message: rejection }
    : { field: `spec.${field}`, message };
}
