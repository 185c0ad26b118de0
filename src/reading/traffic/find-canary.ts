import { apiVersion } from '../../api/canary.ts';
import { isKnative } from '../../api/knative.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import type { ClusterReader } from '../../kube/cluster.ts';
import { ifReadable } from '../if-readable.ts';
import { snapshotOf } from '../snapshot.ts';

/** The Canary of this name, or else the Canary whose apex Service or Knative Service has it. */
export async function findCanary(cluster: ClusterReader, namespace: string, name: string): Promise<KubeObject | undefined> {
  const all = await canariesIn(cluster, namespace);
  const named = all.find(({ metadata }) => metadata.name === name);
  if (named) return named;
  return all.find((raw) => {
    const { canary } = snapshotOf(raw);
    return canary !== undefined && !isKnative(canary.spec.targetRef) && names(canary).apexService === name;
  });
}

/** The Canary that writes the traffic block of a Knative Service at this time; a suspended Canary writes nothing. */
export async function canarySteering(cluster: ClusterReader, namespace: string, service: string): Promise<string | undefined> {
  const found = (await canariesIn(cluster, namespace)).find((raw) => {
    const { targetRef, suspend } = snapshotOf(raw).canary?.spec ?? {};
    return targetRef !== undefined && isKnative(targetRef) && targetRef.name === service && suspend !== true;
  });
  return found?.metadata.name;
}

/** Also empty if the kind does not exist or is not readable: a Knative Service can be shown all the same. */
async function canariesIn(cluster: ClusterReader, namespace: string): Promise<KubeObject[]> {
  return (await ifReadable(cluster.list({ apiVersion, kind: 'Canary', namespace }), { items: [] })).items;
}
