import { primaryRevisionAnnotation } from '../../api/knative.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { type Routes, type UnreadableRoutes, weight } from '../../api/routes.ts';
import { ALL, readAs } from '../weights.ts';
import { trafficEntries } from './traffic.ts';

/** The routes in `spec.traffic`; `undefined` if no primary is recorded yet, or no entry has a percentage. */
export function knativeRoutes(service: KubeObject): Routes | UnreadableRoutes | undefined {
  const primary = primaryOf(service);
  const targets = trafficEntries(service).flatMap(({ revisionName, percent }) => (percent ? [{ revisionName, percent }] : []));
  const [first] = targets;
  if (primary === undefined || !first) return undefined;
  const where = `spec.traffic of Knative Service ${service.metadata.name}`;
  const sum = targets.reduce((total, { percent }) => total + percent, 0);
  if (sum !== ALL) return { unreadable: `${where} does not sum to 100` };
  const [other, third] = targets.filter(({ revisionName }) => revisionName !== primary);
  if (third) return { unreadable: `${where} names more than two revisions` };
  if (other) return readAs(weight(other.percent), undefined);
  // One revision plays both parts: the first of two entries is the canary's.
  return readAs(weight(targets.length > 1 ? first.percent : 0), undefined);
}

/** The Revision that the annotation records as the primary. */
export function primaryOf(service: KubeObject): string | undefined {
  return service.metadata.annotations?.[primaryRevisionAnnotation] || undefined;
}
