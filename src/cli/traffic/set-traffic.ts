import { asKnativeService, type KnativeTraffic } from '../../api/kinds/knative-service.ts';
import { knativeApiVersion } from '../../api/knative.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { isConflict } from '../../kube/errors.ts';
import { canarySteering } from '../../reading/traffic/find-canary.ts';
import { findKnativeService } from '../../reading/traffic/read-traffic.ts';
import { changeTraffic } from '../../routers/knative/change-traffic.ts';
import { trafficEntries } from '../../routers/knative/traffic.ts';
import type { TrafficFlags } from '../../routers/knative/traffic-flags.ts';
import { CommandError } from '../output/exit-codes.ts';

/** Times that a change is computed again after another writer came first. */
const TRIES = 5;
/** Knative's default for a Service without traffic. */
const TO_LATEST: readonly KnativeTraffic[] = [{ latestRevision: true, percent: 100 }];

/** Flags of `serin traffic set`. */
export interface TrafficChange extends TrafficFlags {
  /** Image of the first container: the change of the template that `@latest` then means. */
  image?: string | undefined;
}

/** Changes the traffic block of a Knative Service, in one write with the image if there is one. `undefined` if it has this content already. */
export async function setTraffic(
  cluster: Pick<Cluster, 'get' | 'list' | 'patch'>,
  namespace: string,
  name: string,
  change: TrafficChange,
): Promise<KubeObject | undefined> {
  const steering = await canarySteering(cluster, namespace, name);
  if (steering !== undefined)
    throw new CommandError(
      'refused',
      `Canary ${steering} writes the traffic of this Service: set its spec.suspend to true first, or it reverts your change`,
    );
  const ref = { apiVersion: knativeApiVersion, kind: 'Service', namespace, name };
  for (let tried = 1; ; tried += 1) {
    const service = await findKnativeService(cluster, namespace, name);
    if (!service) throw new CommandError('notFound', `Knative Service ${name} not found in namespace ${namespace}`);
    const current = trafficEntries(service);
    const traffic = changeTraffic(current.length > 0 ? current : TO_LATEST, change);
    const template = change.image === undefined ? {} : { template: withImage(service, change.image) };
    if (change.image === undefined && JSON.stringify(traffic) === JSON.stringify(current)) return undefined;
    const { resourceVersion } = service.metadata;
    try {
      return await cluster.patch(ref, { metadata: { resourceVersion }, spec: { traffic, ...template } });
    } catch (error) {
      if (!isConflict(error) || tried === TRIES) throw error;
    }
  }
}

/** A merge patch: lists are whole, and the name of the revision is removed, since the previous revision has it. */
function withImage(service: KubeObject, image: string): object {
  const [first, ...others] = asKnativeService(service).spec?.template?.spec?.containers ?? [];
  return { metadata: { name: null }, spec: { containers: [{ ...first, image }, ...others] } };
}
