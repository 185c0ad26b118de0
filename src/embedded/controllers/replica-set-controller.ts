import type { Pod } from '../../api/kinds/pod.ts';
import type { ReplicaSet } from '../../api/kinds/replica-set.ts';
import { type KubeObject, refOf } from '../../api/kube-object.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { ApiError } from '../../kube/errors.ts';
import { keyOf, type ObjectStore } from './object-store.ts';
import { availableInMs, isPodActive, isPodFinished, isPodReady } from './pods.ts';
import { canonicalJson, controllerOf, controllerReference } from './selectors.ts';

/** Pods are made in doubling batches, so that a refused template costs one request, not hundreds. */
const FIRST_BATCH = 4;

export interface ReplicaSetStores {
  replicaSets: ObjectStore<ReplicaSet>;
  pods: ObjectStore<Pod>;
  /** Uids of pods whose deletion was asked for and not yet seen in the watch. */
  leaving: Set<string>;
}

/** One pass over one ReplicaSet: makes or deletes pods, then writes its status. */
export async function syncReplicaSet(
  cluster: Cluster,
  stores: ReplicaSetStores,
  key: string,
  nowMs: number,
): Promise<{ againInMs?: number }> {
  const { replicaSets, pods, leaving } = stores;
  const set = replicaSets.get(key);
  if (!set) return {};
  const active = (): Pod[] =>
    pods.list().filter((pod) => controllerOf(pod)?.uid === set.metadata.uid && isPodActive(pod) && !leaving.has(pod.metadata.uid ?? ''));
  const refusal = set.metadata.deletionTimestamp ? undefined : await follow(cluster, stores, set, active());
  const own = pods.list().filter((pod) => controllerOf(pod)?.uid === set.metadata.uid);
  const terminating = own.filter((pod) => pod.metadata.deletionTimestamp !== undefined && !isPodFinished(pod)).length;
  const { status, againInMs } = replicaSetStatus(set, { pods: active(), terminatingReplicas: terminating, refusal }, nowMs);
  const current = replicaSets.get(key);
  if (current && canonicalJson(current.status ?? {}) !== canonicalJson(status))
    replicaSets.remember(await cluster.replace({ ...set, metadata: current.metadata, status }, { subresource: 'status' }));
  // Tried again with back-off, as every failed pass is.
  if (refusal) throw refusal;
  return againInMs === undefined ? {} : { againInMs };
}

/** Makes or deletes pods until there are as many as the set wants, or the server refuses one: its answer. */
async function follow(
  cluster: Cluster,
  { pods, leaving }: ReplicaSetStores,
  set: ReplicaSet,
  present: readonly Pod[],
): Promise<ApiError | undefined> {
  const wanted = wantedBy(set);
  let batch = FIRST_BATCH;
  for (let missing = wanted - present.length; missing > 0; missing -= batch, batch *= 2) {
    const asked = Array.from({ length: Math.min(batch, missing) }, async () => pods.remember(await cluster.create(podFor(set))));
    // Those that were made count, whatever became of the others.
    const refused = (await Promise.allSettled(asked)).find(({ status }) => status === 'rejected');
    if (refused?.status !== 'rejected') continue;
    if (refused.reason instanceof ApiError) return refused.reason;
    throw refused.reason;
  }
  for (const pod of present.toSorted(leastUseful).slice(0, Math.max(0, present.length - wanted))) {
    leaving.add(pod.metadata.uid ?? '');
    await cluster.delete(refOf(pod)).catch((error: unknown) => {
      leaving.delete(pod.metadata.uid ?? '');
      throw error;
    });
  }
  return undefined;
}

const wantedBy = (set: ReplicaSet): number => Number(set.spec.replicas ?? 1);

/** Counts and the first refusal since the last pass that none was met in (as kube-controller-manager has it). */
function replicaSetStatus(
  set: ReplicaSet,
  { pods, terminatingReplicas, refusal }: { pods: readonly Pod[]; terminatingReplicas: number; refusal: ApiError | undefined },
  nowMs: number,
) {
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
    ...(refusal && { conditions: set.status?.conditions ?? [failedCreate(refusal, nowMs)] }),
  };
  return Number.isFinite(soonest) ? { status, againInMs: soonest + 10 } : { status };
}

const failedCreate = ({ message }: ApiError, nowMs: number): object => ({
  type: 'ReplicaFailure',
  status: 'True',
  lastTransitionTime: `${new Date(nowMs).toISOString().slice(0, 19)}Z`,
  reason: 'FailedCreate',
  message,
});

function podFor(set: ReplicaSet): KubeObject {
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
function leastUseful(a: Pod, b: Pod): number {
  const rank = (pod: Pod): number => (pod.spec.nodeName ? 2 : 0) + (pod.status?.phase === 'Running' ? 2 : 0) + (isPodReady(pod) ? 4 : 0);
  const age = (pod: Pod): string => pod.metadata.creationTimestamp ?? '';
  return rank(a) - rank(b) || (age(a) === age(b) ? keyOf(a).localeCompare(keyOf(b)) : age(a) < age(b) ? 1 : -1);
}
