import type { Canary } from '../../api/canary.ts';
import { asKnativeService, type KnativeService } from '../../api/kinds/knative-service.ts';
import { knativeApiVersion } from '../../api/knative.ts';
import { findObject, type ObjectRef } from '../../api/kube-object.ts';
import { choosesUsers } from '../../api/provider-capabilities.ts';
import { factsOf } from '../../api/providers.ts';
import type { Router } from '../router.ts';
import { RoutingError } from '../routing-error.ts';
import { onlyWeight } from '../weights.ts';
import { knativeRoutes } from './read.ts';
import { targetsFor } from './render.ts';
import { taggedTargets } from './traffic.ts';

const serviceRef = (canary: Canary): ObjectRef => ({
  apiVersion: knativeApiVersion,
  kind: 'Service',
  name: canary.spec.targetRef.name,
  namespace: canary.metadata.namespace,
});

/**
 * Knative's own traffic block, on the target itself. Both revisions are named: `latestRevision` would follow each push of the user before its
 * analysis. Routes are read from the spec; the status shows when they are in force.
 */
export const knative: Router = {
  supports: factsOf('knative').can,
  refuses: (canary) => (choosesUsers(canary) ? new RoutingError('Knative cannot match requests: use steps of weight') : undefined),
  watches: (canary) => [serviceRef(canary)],
  render(canary, _apex, routes, current) {
    const service = findObject(current, serviceRef(canary));
    const share = onlyWeight(routes, 'Knative can neither match nor mirror requests: use analysis.stepWeight or stepWeights');
    if (!service) return { write: [], remove: [] };
    const { apiVersion, kind, name, namespace } = serviceRef(canary);
    const traffic = [...targetsFor(canary, service, share), ...taggedTargets(service)];
    return { write: [{ apiVersion, kind, metadata: { name, ...(namespace && { namespace }) }, spec: { traffic } }], remove: [] };
  },
  readRoutes(canary, current) {
    const service = findObject(current, serviceRef(canary));
    return service && knativeRoutes(service);
  },
  isInForce(canary, current) {
    const found = findObject(current, serviceRef(canary));
    const service = found && asKnativeService(found);
    return service === undefined || (isRouted(service) && sharesOf(service.spec?.traffic) === sharesOf(service.status?.traffic));
  },
  // The traffic block is the user's: the workload restores it.
  finalize: () => ({ write: [], remove: [] }),
  afterDeletion: () => 'goes',
};

/** `status.traffic` is written before the gateways follow it; they do once the routes of this generation are ready. */
function isRouted({ metadata, status }: KnativeService): boolean {
  const routes = status?.conditions?.find(({ type }) => type === 'RoutesReady');
  if (status?.observedGeneration !== metadata.generation) return false;
  // A Service without this condition has only its status. Of ready routes Knative says TrafficNotMigrated for as long as two entries of the block name one
  // revision.
  return routes === undefined || routes.status === 'True' || routes.reason === 'TrafficNotMigrated';
}

/** Percent by revision, in one order, as text to compare. */
function sharesOf(traffic: unknown): string {
  const shares = new Map<string, number>();
  for (const { revisionName = '', percent = 0 } of Array.isArray(traffic) ? traffic : []) {
    if (percent > 0) shares.set(revisionName, (shares.get(revisionName) ?? 0) + percent);
  }
  return JSON.stringify([...shares].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
