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
 * Why Contour does not serve an HTTPProxy as it is now. Unknown as long as it speaks of an earlier version or says nothing; one that no
 * root includes yet is orphaned, which is the user's to change at any time and no fault of the routes.
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
