import type { Pod } from '../../api/kinds/pod.ts';
import type { PodDisruptionBudget } from '../../api/kinds/pod-disruption-budget.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import { groupOf, type OwnerReference } from '../../api/kube-object.ts';
import { timestamp } from '../../base/timestamp.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { disruptionAllowed, isUnder, withCondition } from './disruption-budget.ts';
import { writeStatus } from './object-store.ts';
import { isPodReady } from './pods.ts';
import { controllerOf } from './selectors.ts';
import type { Stores } from './stores.ts';

/** An evicted pod that is not leaving by then counts again. */
const DELETION_TIMEOUT_MS = 120_000;

type DisruptionStores = Pick<Stores, 'budgets' | 'pods' | 'replicaSets' | 'deployments'>;

/**
 * One pass over one PodDisruptionBudget: writes what its pods allow. Gives when to look again. Source: kube-controller-manager,
 * pkg/controller/disruption. It writes no events, and looks at each budget of a pod, of which the real one takes any.
 */
export async function syncDisruptionBudget(
  cluster: Cluster,
  stores: DisruptionStores,
  key: string,
  nowMs: number,
): Promise<number | undefined> {
  const budget = stores.budgets.get(key);
  if (!budget) return undefined;
  const before = budget.status ?? {};
  const pods = stores.pods.list().filter((pod) => isUnder(budget, pod));
  const expected = await expectedPods(cluster, stores, budget, pods);
  if (expected instanceof Error) {
    const failed = {
      type: 'DisruptionAllowed',
      status: 'False',
      ...(before.observedGeneration !== undefined && { observedGeneration: before.observedGeneration }),
      reason: 'SyncFailed',
      message: expected.message,
    };
    const conditions = withCondition(before.conditions, failed, timestamp(nowMs));
    await writeStatus(cluster, stores.budgets, budget, { ...before, disruptionsAllowed: 0, conditions });
    return undefined;
  }
  const evicted = evictedPods(pods, before.disruptedPods ?? {}, nowMs);
  const currentHealthy = pods.filter(
    (pod) => isPodReady(pod) && pod.metadata.deletionTimestamp === undefined && !(pod.metadata.name in evicted),
  ).length;
  const desiredHealthy = desiredOf(budget, expected);
  const { generation } = budget.metadata;
  const disruptionsAllowed = expected > 0 ? Math.max(0, currentHealthy - desiredHealthy) : 0;
  await writeStatus(cluster, stores.budgets, budget, {
    conditions: disruptionAllowed(before.conditions, { disruptionsAllowed, observedGeneration: generation }, timestamp(nowMs)),
    currentHealthy,
    desiredHealthy,
    ...(Object.keys(evicted).length > 0 && { disruptedPods: evicted }),
    disruptionsAllowed,
    expectedPods: expected,
    observedGeneration: generation,
  });
  const dueMs = Object.values(evicted).map((time) => Date.parse(time) + DELETION_TIMEOUT_MS - nowMs);
  return dueMs.length > 0 ? Math.max(0, Math.min(...dueMs)) + 1 : undefined;
}

/** Pods whose eviction was accepted, and which the deletion has not reached yet. */
function evictedPods(pods: readonly Pod[], before: Readonly<Record<string, string>>, nowMs: number): Record<string, string> {
  const waited = pods.flatMap(({ metadata: { name, deletionTimestamp } }) => {
    const time = before[name];
    const isOver = deletionTimestamp !== undefined || time === undefined || Date.parse(time) + DELETION_TIMEOUT_MS < nowMs;
    return isOver ? [] : [[name, time] as const];
  });
  return Object.fromEntries(waited);
}

function desiredOf({ spec: { minAvailable, maxUnavailable } }: PodDisruptionBudget, expected: number): number {
  if (maxUnavailable !== undefined) return Math.max(0, expected - amountOf(maxUnavailable, expected));
  return minAvailable === undefined ? 0 : amountOf(minAvailable, expected);
}

/** A percentage is rounded up. */
const amountOf = (amount: number | string, of: number): number =>
  typeof amount === 'number' ? amount : Math.ceil((Number.parseInt(amount, 10) * of) / 100);

/** The number of existing pods if `minAvailable` is a number; otherwise the number that the controllers of these pods want together. */
async function expectedPods(
  cluster: Cluster,
  stores: DisruptionStores,
  { spec: { minAvailable, maxUnavailable } }: PodDisruptionBudget,
  pods: readonly Pod[],
): Promise<number | Error> {
  if (maxUnavailable === undefined && minAvailable === undefined) return 0;
  if (maxUnavailable === undefined && typeof minAvailable === 'number') return pods.length;
  const wanted = new Map<string, number>();
  for (const pod of pods) {
    const owner = controllerOf(pod);
    // Pods without a controller are not counted.
    if (!owner || wanted.has(owner.uid)) continue;
    const scale = await scaleOf(cluster, stores, owner, pod);
    if (scale instanceof Error) return scale;
    wanted.set(scale.uid, scale.replicas);
  }
  return [...wanted.values()].reduce((sum, each) => sum + each, 0);
}

async function scaleOf(
  cluster: Cluster,
  { replicaSets, deployments }: DisruptionStores,
  owner: OwnerReference,
  { metadata: { namespace = '', name: podName } }: Pod,
): Promise<{ uid: string; replicas: number } | Error> {
  const none = new Error(`found no controllers for pod ${JSON.stringify(podName)}`);
  const { apiVersion, kind, name, uid } = owner;
  if (kind === 'ReplicaSet' && groupOf(apiVersion) === 'apps') {
    const set = replicaSets.get(`${namespace}/${name}`);
    if (set?.metadata.uid !== uid) return none;
    const above = controllerOf(set);
    if (above?.kind !== 'Deployment') return { uid, replicas: Number(set.spec.replicas ?? 1) };
    const deployment = deployments.get(`${namespace}/${above.name}`);
    if (deployment?.metadata.uid === above.uid) return { uid: above.uid, replicas: Number(deployment.spec.replicas ?? 1) };
  }
  const ref = { apiVersion, kind, name, namespace };
  const scale = await cluster.get(ref, { subresource: 'scale' });
  if (scale) return scale.metadata.uid === uid ? { uid, replicas: specOf<{ replicas?: number }>(scale).replicas ?? 0 } : none;
  const plural = [`${kind.toLowerCase()}s`, groupOf(apiVersion)].filter((part) => part !== '').join('.');
  return (await cluster.get(ref)) ? new Error(`${plural} does not implement the scale subresource`) : none;
}
