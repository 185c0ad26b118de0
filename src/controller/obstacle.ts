import { ApiError, exceedsQuota, isDenied, isForbidden, lacksRight } from '../kube/errors.ts';
import { RoutingError } from '../routers/index.ts';
import { CanaryError } from './errors.ts';

/** What a person has to remove, in words; undefined for what passes by itself. */
export function obstacleOf(error: unknown): string | undefined {
  if (error instanceof CanaryError || error instanceof RoutingError) return error.message;
  const isRefusal = error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 409 && error.status !== 429;
  if (!isRefusal) return undefined;
  return `the API server refused ${error.message}${whoHelps(error)}`;
}

function whoHelps(error: ApiError): string {
  if (lacksRight(error)) return ': grant it to the service account of Serin, by a Role or ClusterRole';
  if (exceedsQuota(error)) return ': who owns the quota can raise it';
  return isForbidden(error) || isDenied(error) ? ': who owns the rule that refuses it can correct it or make an exception' : '';
}
