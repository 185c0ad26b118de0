import type { Pod } from '../../api/kinds/pod.ts';
import type { ReplicaSet } from '../../api/kinds/replica-set.ts';
import { timestamp } from '../../base/timestamp.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { ApiError } from '../../kube/errors.ts';
import { keyOf, writeStatus } from './object-store.ts';
import { availableInMs, deletePod, isPodActive, isPodFinished, isPodReady, nextAvailableInMs, podFrom } from './pods.ts';
import { controllerOf } from './selectors.ts';
import type { PodStores } from './stores.ts';

/** Pods are made in doubling batches, so that a refused template costs one request, not hundreds. */
const FIRST_BATCH = 4;

/** One pass over one ReplicaSet: makes or deletes pods, then writes its status. Gives when to look again. */
export async function syncReplicaSet(cluster: Cluster, stores: PodStores, key: string, nowMs: number): Promise<number | undefined> {
  const { replicaSets, pods, leaving } = stores;
  const set = replicaSets.get(key);
  if (!set) return undefined;
  const own = (): Pod[] => pods.list().filter((pod) => controllerOf(pod)?.uid === set.metadata.uid);
  const active = (): Pod[] => own().filter((pod) => isPodActive(pod) && !leaving.has(pod.metadata.uid ?? ''));
  const refusal = set.metadata.deletionTimestamp ? undefined : await follow(cluster, stores, set, active());
  const terminatingReplicas = own().filter((pod) => pod.metadata.deletionTimestamp !== undefined && !isPodFinished(pod)).length;
  const { status, againInMs } = replicaSetStatus(set, { pods: active(), terminatingReplicas, refusal }, nowMs);
  const current = replicaSets.get(key);
  if (current) await writeStatus(cluster, replicaSets, current, status);
  // Tried again with back-off, as every failed pass is.
  if (refusal) throw refusal;
  return againInMs;
}

/** Makes or deletes pods up to the number that the set wants. Returns the error if the server refuses one. */
async function follow(
  cluster: Cluster,
  { pods, leaving }: PodStores,
  set: ReplicaSet,
  present: readonly Pod[],
): Promise<ApiError | undefined> {
  const wanted = Number(set.spec.replicas ?? 1);
  let batch = FIRST_BATCH;
  for (let missing = wanted - present.length; missing > 0; missing -= batch, batch *= 2) {
    const asked = Array.from({ length: Math.min(batch, missing) }, async () =>
      pods.remember(await cluster.create(podFrom(set, set.spec.template))),
    );
    // Pods that were made count, with any result of the others.
    const refused = (await Promise.allSettled(asked)).find(({ status }) => status === 'rejected');
    if (refused?.status !== 'rejected') continue;
    if (refused.reason instanceof ApiError) return refused.reason;
    throw refused.reason;
  }
  for (const pod of present.toSorted(leastUseful).slice(0, Math.max(0, present.length - wanted))) await deletePod(cluster, leaving, pod);
  return undefined;
}

/** Counts and the first refusal since the last pass that none was met in (as kube-controller-manager has it). */
function replicaSetStatus(
  set: ReplicaSet,
  { pods, terminatingReplicas, refusal }: { pods: readonly Pod[]; terminatingReplicas: number; refusal: ApiError | undefined },
  nowMs: number,
) {
  const waits = pods.map((pod) => availableInMs(pod, Number(set.spec.minReadySeconds ?? 0), nowMs));
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
  return { status, againInMs: nextAvailableInMs(waits) };
}

const failedCreate = ({ message }: ApiError, nowMs: number): object => ({
  type: 'ReplicaFailure',
  status: 'True',
  lastTransitionTime: timestamp(nowMs),
  reason: 'FailedCreate',
  message,
});

/** Order in which pods are removed: unassigned before pending, unready before ready, young before old. */
function leastUseful(a: Pod, b: Pod): number {
  const rank = (pod: Pod): number => (pod.spec.nodeName ? 2 : 0) + (pod.status?.phase === 'Running' ? 2 : 0) + (isPodReady(pod) ? 4 : 0);
  const age = (pod: Pod): string => pod.metadata.creationTimestamp ?? '';
  return rank(a) - rank(b) || (age(a) === age(b) ? keyOf(a).localeCompare(keyOf(b)) : age(a) < age(b) ? 1 : -1);
}
