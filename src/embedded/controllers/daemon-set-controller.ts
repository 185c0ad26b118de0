import type { DaemonSet } from '../../api/kinds/daemon-set.ts';
import type { Pod } from '../../api/kinds/pod.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { currentRevision, forgetRevisions } from './daemon-set-history.ts';
import { fitOf, nodeOf, podForNode } from './daemon-set-pods.ts';
import { daemonSetStatus, isUpdated, type NodeSeen } from './daemon-set-status.ts';
import { keyOf, type ObjectStore, writeStatus } from './object-store.ts';
import { availableInMs, deletePod, isPodFinished } from './pods.ts';
import { resolveBound } from './rolling-update.ts';
import { controllerOf } from './selectors.ts';
import type { PodStores } from './stores.ts';

/** Changes of pods in one pass. */
interface Changes {
  /** Nodes that get a pod. */
  make: string[];
  remove: Pod[];
}

/** One pass over one DaemonSet: a pod on every node that it wants, replaced by its update strategy, then its status. Gives when to look again. */
export async function syncDaemonSet(cluster: Cluster, stores: PodStores, key: string, nowMs: number): Promise<number | undefined> {
  const { daemonSets, pods, revisions } = stores;
  const set = daemonSets.get(key);
  if (!set || set.metadata.deletionTimestamp) return undefined;
  const hash = await currentRevision(cluster, revisions, set);

  await carryOut(cluster, stores, set, hash, membership(seenOn(stores, set)));
  if (set.spec.updateStrategy?.type !== 'OnDelete')
    await carryOut(cluster, stores, set, hash, rollout(set, seenOn(stores, set), hash, nowMs));

  const seen = seenOn(stores, set);
  await forgetRevisions(cluster, revisions, set, ownPods(pods, set), hash);
  const { status, againInMs } = daemonSetStatus(set, seen, hash, nowMs);
  const current = daemonSets.get(key);
  if (current) await writeStatus(cluster, daemonSets, current, status);
  return againInMs;
}

const ownPods = (pods: ObjectStore<Pod>, set: DaemonSet): Pod[] => pods.list().filter((pod) => controllerOf(pod)?.uid === set.metadata.uid);

/** Every node with the set's pods on it, oldest first; terminating ones are gone already as far as decisions go. */
function seenOn({ pods, nodes, leaving }: PodStores, set: DaemonSet): NodeSeen[] {
  const byNode = Map.groupBy(ownPods(pods, set), (pod) => nodeOf(pod) ?? '');
  const isGoing = (pod: Pod): boolean => pod.metadata.deletionTimestamp !== undefined || leaving.has(pod.metadata.uid ?? '');
  const age = (pod: Pod): string => `${pod.metadata.creationTimestamp} ${keyOf(pod)}`;
  return nodes.list().map((node) => {
    const here = (byNode.get(node.metadata.name) ?? []).toSorted((a, b) => (age(a) < age(b) ? -1 : 1));
    return {
      name: node.metadata.name,
      ...fitOf(set, node),
      pods: here.filter((pod) => !isGoing(pod)),
      leaving: here.filter((pod) => isGoing(pod) && !isPodFinished(pod)),
      isVacating: here.some(isGoing),
    };
  });
}

/** One pod on each node that should run it, none where pods are not allowed to stay; the replacement of a failed pod comes in the next pass. */
function membership(seen: readonly NodeSeen[]): Changes {
  const changes: Changes = { make: [], remove: [] };
  for (const { name, shouldRun, mayStay, pods, isVacating } of seen) {
    const living = pods.filter((pod) => !isPodFinished(pod));
    changes.remove.push(...pods.filter(isPodFinished));
    if (!mayStay) changes.remove.push(...living);
    else if (shouldRun && pods.length === 0 && !isVacating) changes.make.push(name);
  }
  return changes;
}

/** Old pods that can be removed now, and with `maxSurge` the new pods that come before. */
function rollout(set: DaemonSet, seen: readonly NodeSeen[], hash: string, nowMs: number): Changes {
  const running = seen.filter(({ shouldRun }) => shouldRun);
  const { maxUnavailable = 1, maxSurge = 0 } = set.spec.updateStrategy?.rollingUpdate ?? {};
  const isAvailable = (pod: Pod): boolean => availableInMs(pod, Number(set.spec.minReadySeconds ?? 0), nowMs) === 0;
  const surge = resolveBound(maxSurge, running.length, 'up');
  const changes: Changes = { make: [], remove: [] };
  if (surge > 0) {
    let room = surge - running.filter(({ pods, isVacating }) => pods.length > 1 || (pods.length === 1 && isVacating)).length;
    for (const { name, pods, isVacating } of running) {
      const [fresh, old] = [pods.find((pod) => isUpdated(pod, hash)), pods.filter((pod) => !isUpdated(pod, hash))];
      const idle = old.filter((pod) => !isAvailable(pod));
      if (fresh && isAvailable(fresh)) changes.remove.push(...old);
      // Among them the new pod of a template that is already replaced.
      else if (!fresh && idle.length > 0) changes.remove.push(...idle);
      else if (!fresh && old.length > 0 && !isVacating && room > 0) {
        room -= 1;
        changes.make.push(name);
      }
    }
    return changes;
  }
  let unavailable = running.filter(({ pods }) => !pods.some(isAvailable)).length;
  const most = resolveBound(maxUnavailable, running.length, 'up');
  for (const { pods } of running) {
    const old = pods.filter((pod) => !isUpdated(pod, hash));
    // Pods without traffic can be deleted at once.
    if (!pods.some(isAvailable)) changes.remove.push(...old);
    else if (old.length > 0 && unavailable < most) {
      unavailable += 1;
      changes.remove.push(...old);
    }
  }
  return changes;
}

async function carryOut(cluster: Cluster, { pods, leaving }: PodStores, set: DaemonSet, hash: string, { make, remove }: Changes) {
  for (const pod of remove) await deletePod(cluster, leaving, pod);
  const made = await Promise.all(make.map((node) => cluster.create(podForNode(set, node, hash))));
  for (const pod of made) pods.remember(pod);
}
