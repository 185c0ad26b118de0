import type { Canary } from '../../api/canary.ts';
import { knativeApiVersion, knativeRevisionId, primaryRevisionAnnotation } from '../../api/knative.ts';
import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';
import { choosesUsers } from '../../api/provider-capabilities.ts';
import { factsOf } from '../../api/providers.ts';
import { type Routes, weight } from '../../api/routes.ts';
import { findObject } from '../find-object.ts';
import type { Router } from '../router.ts';
import { RoutingError } from '../routing-error.ts';
import { ALL, primaryWeight, readAs } from '../weights.ts';
import { taggedTargets, trafficOf } from './traffic.ts';

const serviceRef = (canary: Canary): ObjectRef => ({
  apiVersion: knativeApiVersion,
  kind: 'Service',
  name: canary.spec.targetRef.name,
  namespace: canary.metadata.namespace,
});

/**
 * Knative's own traffic block, on the target itself (04-4.14). Both revisions are named: `latestRevision` would follow whatever the user
 * pushes next, before its analysis (03-B19). Routes are read from the spec; the status shows when they are in force (04-R-S7).
 */
export const knative: Router = {
  supports: factsOf('knative').can,
  refuses: (canary) => (choosesUsers(canary) ? new RoutingError('Knative cannot match requests: use steps of weight') : undefined),
  watches: (canary) => [serviceRef(canary)],
  render(canary, _apex, routes, current) {
    const service = findObject(current, serviceRef(canary));
    const share = shareOf(routes);
    if (!service) return { write: [], remove: [] };
    const { apiVersion, kind, name, namespace } = serviceRef(canary);
    const traffic = [...targetsFor(canary, service, share), ...taggedTargets(service)];
    return { write: [{ apiVersion, kind, metadata: { name, ...(namespace && { namespace }) }, spec: { traffic } }], remove: [] };
  },
  readRoutes(canary, current) {
    const service = findObject(current, serviceRef(canary));
    return service && readTraffic(service);
  },
  isInForce(canary, current) {
    const service = findObject(current, serviceRef(canary));
    return service === undefined || sharesOf(service.spec?.traffic) === sharesOf(service.status?.traffic);
  },
  // The traffic block is the user's: the workload puts it back as it was found.
  finalize: () => ({ write: [], remove: [] }),
};

function shareOf(routes: Routes): number {
  if (routes.kind !== 'weighted' || routes.match?.length)
    throw new RoutingError('Knative can neither match nor mirror requests: use analysis.stepWeight or stepWeights');
  return routes.canary;
}

function targetsFor(canary: Canary, service: KubeObject, share: number) {
  const primary = primaryOf(service);
  if (primary === undefined)
    throw new RoutingError(`Knative Service ${service.metadata.name} has no annotation ${primaryRevisionAnnotation}`);
  const rest = { revisionName: primary, percent: primaryWeight(share) };
  if (share === 0) return [rest];
  const analysed = analysedOf(canary, service);
  if (analysed === undefined) throw new RoutingError(`the revision of Knative Service ${service.metadata.name} under analysis is gone`);
  // After the promotion both are one revision; two entries still show the weight (04-R-S7).
  return [{ revisionName: analysed, percent: share }, rest];
}

/** The revision that the release is pinned to, by its recorded id; a newer one never gets its share. */
function analysedOf(canary: Canary, service: KubeObject): string | undefined {
  const latest: string | undefined = service.status?.latestCreatedRevisionName;
  const pinned = canary.status?.release?.revision;
  if (pinned === undefined) return latest;
  const known = [latest, ...trafficOf(service).map(({ revisionName }) => revisionName), primaryOf(service)];
  return known.find((name) => name !== undefined && knativeRevisionId(name) === pinned);
}

function readTraffic(service: KubeObject): Routes | { unreadable: string } | undefined {
  const primary = primaryOf(service);
  const targets = trafficOf(service).filter(({ percent }) => percent !== undefined && percent > 0);
  if (primary === undefined || targets.length === 0) return undefined;
  const where = `spec.traffic of Knative Service ${service.metadata.name}`;
  const sum = targets.reduce((total, { percent = 0 }) => total + percent, 0);
  if (sum !== ALL) return { unreadable: `${where} does not sum to 100` };
  const others = targets.filter(({ revisionName }) => revisionName !== primary);
  if (others.length > 1) return { unreadable: `${where} names more than two revisions` };
  if (others[0]) return readAs(weight(others[0].percent ?? 0), undefined);
  // One revision plays both parts: the first of two entries is the canary's.
  return readAs(weight(targets.length > 1 ? (targets[0]?.percent ?? 0) : 0), undefined);
}

function primaryOf(service: KubeObject): string | undefined {
  return service.metadata.annotations?.[primaryRevisionAnnotation] || undefined;
}

/** Percent by revision, in one order, as text to compare. */
function sharesOf(traffic: unknown): string {
  const shares = new Map<string, number>();
  for (const { revisionName = '', percent = 0 } of Array.isArray(traffic) ? traffic : []) {
    if (percent > 0) shares.set(revisionName, (shares.get(revisionName) ?? 0) + percent);
  }
  return JSON.stringify([...shares].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
