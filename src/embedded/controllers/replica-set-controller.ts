import { type KubeObject, refOf } from '../../api/kube-object.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { keyOf, type ObjectStore } from './object-store.ts';
import { availableInMs, isPodActive, isPodFinished, isPodReady } from './pods.ts';
import { canonicalJson, controllerOf, controllerReference } from './selectors.ts';

/** Pods are made in doubling batches, so that a refused template costs one request, not hundreds. */
const FIRST_BATCH = 4;

export interface ReplicaSetStores {
  replicaSets: ObjectStore;
  pods: ObjectStore;
  /** Uids of pods whose deletion was asked for and not yet heard of. */
  leaving: Set<string>;
}

/** One pass over one ReplicaSet: makes or deletes pods, then tells its status. */
export async function syncReplicaSet(
  cluster: Cluster,
  { replicaSets, pods, leaving }: ReplicaSetStores,
  key: string,
  nowMs: number,
): Promise<{ againInMs?: number }> {
  const set = replicaSets.get(key);
  if (!set) return {};
  const active = (): KubeObject[] =>
    pods.list().filter((pod) => controllerOf(pod)?.uid === set.metadata.uid && isPodActive(pod) && !leaving.has(pod.metadata.uid ?? ''));
  if (!set.metadata.deletionTimestamp) {
    const wanted = Number(set.spec.replicas ?? 1);
    const present = active();
    let batch = FIRST_BATCH;
    for (let missing = wanted - present.length; missing > 0; missing -= batch, batch *= 2) {
      const made = await Promise.all(Array.from({ length: Math.min(batch, missing) }, () => cluster.create(podFor(set))));
      for (const pod of made) pods.remember(pod);
    }
    for (const pod of present.toSorted(leastUseful).slice(0, Math.max(0, present.length - wanted))) {
      leaving.add(pod.metadata.uid ?? '');
      await cluster.delete(refOf(pod)).catch((error: unknown) => {
        leaving.delete(pod.metadata.uid ?? '');
        throw error;
      });
    }
  }
  const own = pods.list().filter((pod) => controllerOf(pod)?.uid === set.metadata.uid);
  const terminating = own.filter((pod) => pod.metadata.deletionTimestamp !== undefined && !isPodFinished(pod)).length;
  const { status, againInMs } = replicaSetStatus(set, active(), terminating, nowMs);
  const current = replicaSets.get(key);
  if (current && canonicalJson(current.status ?? {}) !== canonicalJson(status))
    replicaSets.remember(await cluster.replace({ ...set, metadata: current.metadata, status }, { subresource: 'status' }));
  return againInMs === undefined ? {} : { againInMs };
}

function replicaSetStatus(set: KubeObject, pods: readonly KubeObject[], terminatingReplicas: number, nowMs: number) {
  const waits = pods.map((pod) => availableInMs(pod, Number(set.spec.minReadySeconds ?? 0), nowMs));
  const soonest = Math.min(...waits.filter((ms) => ms > 0));
  const counts = {
    fullyLabeledReplicas: pods.length,
    readyReplicas: pods.filter(isPodReady).length,
    availableReplicas: waits.filter((ms) => ms === 0).length,
  };
  const status = {
    replicas: pods.length,
    ...Object.fromEntries(Object.entries(counts).filter(([, value]) => value !== 0)),
    terminatingReplicas,
    observedGeneration: set.metadata.generation,
  };
  return Number.isFinite(soonest) ? { status, againInMs: soonest + 10 } : { status };
}

function podFor(set: KubeObject): KubeObject {
  const { namespace } = set.metadata;
  const { labels, annotations } = set.spec.template.metadata ?? {};
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    // The server makes the name from generateName; our type wants one, and an empty one is none.
    metadata: {
      name: '',
      generateName: `${set.metadata.name}-`,
      ...(namespace === undefined ? {} : { namespace }),
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
      ownerReferences: [controllerReference(set)],
    },
    spec: set.spec.template.spec,
  };
}

/** Unassigned before pending, unready before ready, young before old: the order in which pods may go. */
function leastUseful(a: KubeObject, b: KubeObject): number {
  const rank = (pod: KubeObject): number =>
    (pod.spec.nodeName ? 2 : 0) + (pod.status?.phase === 'Running' ? 2 : 0) + (isPodReady(pod) ? 4 : 0);
  const age = (pod: KubeObject): string => pod.metadata.creationTimestamp ?? '';
  return rank(a) - rank(b) || (age(a) === age(b) ? keyOf(a).localeCompare(keyOf(b)) : age(a) < age(b) ? 1 : -1);
}
