import { statusOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';

interface HttpProxyStatus {
  currentStatus: string;
  description: string;
  conditions: HttpProxyCondition[];
}

/** One of `status.conditions`; `errors` say more than the message does. */
interface HttpProxyCondition {
  type?: string;
  status?: string;
  observedGeneration?: number;
  message?: string;
  errors?: { reason?: string; message?: string }[];
}

/**
 * Reason for which Contour does not serve the current version of an HTTPProxy. Unknown as long as Contour reports an earlier version or nothing. A proxy that
 * no root includes yet is orphaned: the user can change that at any time, and it is not a fault of the routes.
 */
export function invalidity(proxy: KubeObject): string | undefined {
  const { metadata } = proxy;
  const { currentStatus, description, conditions } = statusOf<HttpProxyStatus>(proxy);
  if (currentStatus !== 'invalid') return undefined;
  const valid = conditions?.find(({ type, status: is }) => type === 'Valid' && is === 'False');
  if (!valid || metadata.generation === undefined || valid.observedGeneration !== metadata.generation) return undefined;
  const [first] = valid.errors ?? [];
  const why = [first?.reason, first?.message ?? valid.message ?? description].filter((part) => part).join(': ');
  return `Contour says that HTTPProxy ${metadata.name} is invalid${why === '' ? '' : ` (${why})`}`;
}
