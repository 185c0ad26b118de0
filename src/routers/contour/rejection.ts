import type { KubeObject } from '../../api/kube-object.ts';

/** One of `status.conditions`; `errors` say more than the message does. */
interface Condition {
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
export function invalidity({ metadata, status }: KubeObject): string | undefined {
  if (status?.currentStatus !== 'invalid') return undefined;
  const conditions: Condition[] = status.conditions ?? [];
  const valid = conditions.find(({ type, status: is }) => type === 'Valid' && is === 'False');
  if (!valid || metadata.generation === undefined || valid.observedGeneration !== metadata.generation) return undefined;
  const [first] = valid.errors ?? [];
  const why = [first?.reason, first?.message ?? valid.message ?? status.description].filter((part) => part).join(': ');
  return `Contour says that HTTPProxy ${metadata.name} is invalid${why === '' ? '' : ` (${why})`}`;
}
