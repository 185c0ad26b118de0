import type { NewBlocker } from '../../api/blocker.ts';
import { ApiError } from '../../kube/errors.ts';
import { RoutingError } from '../../routers/index.ts';
import { CanaryError } from '../errors.ts';

/** The blocker that an error means, `undefined` for an error that passes without one. */
export function blockerOf(error: unknown, namespace: string): NewBlocker | undefined {
  if (error instanceof CanaryError) return error.blocker;
  if (error instanceof RoutingError) return unroutableBy(error);
  const isRefusal = error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 409 && error.status !== 429;
  return isRefusal ? refusalBy(error, namespace) : undefined;
}

/** An object that the API server refuses; the words of the server are not looked at. */
export function refusalBy({ denial, message }: ApiError, namespace: string): NewBlocker {
  if (denial?.by === 'authorization') return { code: 'Forbidden', detail: message };
  if (denial?.by === 'namespace') {
    const { namespace: missing } = denial;
    const object = missing === undefined ? undefined : { apiVersion: 'v1', kind: 'Namespace', name: missing };
    return { code: 'NamespaceUnavailable', ...(object && { object }), detail: message };
  }
  if (denial?.by !== 'quota') return { code: 'ApiRejected', detail: message };
  return { code: 'QuotaExceeded', object: { apiVersion: 'v1', kind: 'ResourceQuota', name: denial.quota, namespace }, detail: message };
}

/** A route that the provider cannot express. */
export function unroutableBy({ field, message, object }: RoutingError): NewBlocker {
  const where = { ...(object && { object }), ...(field !== undefined && { field }) };
  return { code: object ? 'RouteMissing' : 'RouteRejected', ...where, detail: message };
}
