import type { Canary } from '../../api/canary.ts';
import { asKnativeService } from '../../api/kinds/knative-service.ts';
import { knativeRevisionId, madeAgainOf, primaryRevisionAnnotation } from '../../api/knative.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { RoutingError } from '../routing-error.ts';
import { primaryWeight } from '../weights.ts';
import { primaryOf } from './read.ts';
import { trafficEntries } from './traffic.ts';

/** Entries of `spec.traffic`, the canary's first. Throws a RoutingError where the Revision of a side is unknown or gone. */
export function targetsFor(canary: Canary, service: KubeObject, share: number) {
  const primary = primaryOf(service);
  if (primary === undefined)
    throw new RoutingError(`Knative Service ${service.metadata.name} has no annotation ${primaryRevisionAnnotation}`);
  const rest = { revisionName: primary, percent: primaryWeight(share) };
  if (share === 0) return [rest];
  const analysed = analysedOf(canary, service);
  if (analysed === undefined) throw new RoutingError(`the revision of Knative Service ${service.metadata.name} under analysis is gone`);
  // After the promotion both are one revision; two entries still show the weight.
  return [{ revisionName: analysed, percent: share }, rest];
}

/** The revision that the release is pinned to, by its recorded id; a newer one never gets its share. */
function analysedOf(canary: Canary, service: KubeObject): string | undefined {
  const latest = asKnativeService(service).status?.latestCreatedRevisionName;
  const pinned = canary.status?.release?.revision;
  if (pinned === undefined) return latest;
  const known = [latest, ...trafficEntries(service).map(({ revisionName }) => revisionName), primaryOf(service)];
  return known.find((name) => name !== undefined && knativeRevisionId(name, madeAgainOf(service)) === pinned);
}
