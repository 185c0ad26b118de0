import type { Deployment } from '../../api/kinds/deployment.ts';
import type { ReplicaSet } from '../../api/kinds/replica-set.ts';
import { timestamp } from '../../base/timestamp.ts';
import { bounds } from './rolling-update.ts';

interface DeploymentCondition {
  type: string;
  status: string;
  reason: string;
  message: string;
  lastUpdateTime: string;
  lastTransitionTime: string;
}

interface Counts {
  replicas: number;
  updatedReplicas: number;
  readyReplicas: number;
  availableReplicas: number;
}

const NEVER_SECONDS = 2147483647;
const count = (sets: readonly ReplicaSet[], field: keyof Counts | 'terminatingReplicas'): number =>
  sets.reduce((sum, set) => sum + Number(set.status?.[field] ?? 0), 0);

/**
 * The status of a Deployment from its ReplicaSets, and how long until its progress deadline passes.
 * Source: Kubernetes documentation, "Deployment status" (complete, progressing, failed).
 */
export function deploymentStatus(
  deployment: Deployment,
  fresh: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
  nowMs: number,
): { status: Record<string, unknown>; isComplete: boolean; deadlineInMs: number | undefined } {
  const all = fresh ? [fresh, ...old] : old;
  const counts: Counts = {
    replicas: count(all, 'replicas'),
    updatedReplicas: count(fresh ? [fresh] : [], 'replicas'),
    readyReplicas: count(all, 'readyReplicas'),
    availableReplicas: count(all, 'availableReplicas'),
  };
  // Counts the pods that the sets want, not the Deployment: beside an old pod that stays until the new one is available, the new one also counts.
  const wantedBySets = all.reduce((sum, set) => sum + Number(set.spec?.replicas ?? 1), 0);
  const previous = conditionsOf(deployment);
  const progress = progressing(deployment, fresh, counts, previous, nowMs);
  const failure = replicaFailure(all, previous, nowMs);
  const conditions = [available(deployment, counts, previous, nowMs), progress.condition, failure].filter((one) => one !== undefined);
  const status = {
    observedGeneration: deployment.metadata.generation,
    ...nonZero({ ...counts, unavailableReplicas: Math.max(0, wantedBySets - counts.availableReplicas) }),
    // Unlike the other counters it is a pointer, so its zero is set.
    terminatingReplicas: count(all, 'terminatingReplicas'),
    ...(deployment.status?.collisionCount === undefined ? {} : { collisionCount: deployment.status.collisionCount }),
    conditions: [...conditions, ...previous.filter(({ type }) => !['Available', 'Progressing', 'ReplicaFailure'].includes(type))],
  };
  return { status, isComplete: isComplete(deployment, counts), deadlineInMs: progress.deadlineInMs };
}

function isComplete(deployment: Deployment, counts: Counts): boolean {
  const wanted = Number(deployment.spec.replicas ?? 1);
  return counts.updatedReplicas === wanted && counts.replicas === wanted && counts.availableReplicas === wanted;
}

/** Counters of zero are left out, as the real controller's `omitempty` does: readers must cope. */
const nonZero = (counts: Record<string, number>) => Object.fromEntries(Object.entries(counts).filter(([, value]) => value !== 0));

function available(deployment: Deployment, counts: Counts, previous: DeploymentCondition[], nowMs: number): DeploymentCondition {
  const wanted = Number(deployment.spec.replicas ?? 1);
  const { maxUnavailable } =
    deployment.spec.strategy?.type === 'Recreate' ? { maxUnavailable: 0 } : bounds(deployment.spec.strategy?.rollingUpdate, wanted);
  const isMet = counts.availableReplicas >= wanted - maxUnavailable;
  return settled(previous, nowMs, {
    type: 'Available',
    status: isMet ? 'True' : 'False',
    reason: isMet ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
    message: isMet ? 'Deployment has minimum availability.' : 'Deployment does not have minimum availability.',
  });
}

/** Conditions that this controller has written. */
const conditionsOf = ({ status }: Deployment | ReplicaSet): DeploymentCondition[] =>
  (status?.conditions ?? []) as object[] as DeploymentCondition[];

/** The error that keeps the newest ReplicaSet from creating pods. */
function replicaFailure(
  newestFirst: readonly ReplicaSet[],
  previous: DeploymentCondition[],
  nowMs: number,
): DeploymentCondition | undefined {
  const conditions = newestFirst.flatMap(conditionsOf);
  const found = conditions.find(({ type }) => type === 'ReplicaFailure');
  if (!found) return undefined;
  const { type, status, reason, message } = found;
  return settled(previous, nowMs, { type, status, reason, message });
}

function progressing(
  deployment: Deployment,
  fresh: ReplicaSet | undefined,
  counts: Counts,
  previous: DeploymentCondition[],
  nowMs: number,
): { condition?: DeploymentCondition; deadlineInMs?: number | undefined } {
  const deadlineSeconds = Number(deployment.spec.progressDeadlineSeconds ?? NEVER_SECONDS);
  if (deadlineSeconds === NEVER_SECONDS) return {};
  const current = previous.find(({ type }) => type === 'Progressing');
  const what = fresh ? `ReplicaSet "${fresh.metadata.name}"` : `Deployment "${deployment.metadata.name}"`;
  const say = (status: string, reason: string, message: string, isNews: boolean) => ({
    condition: settled(previous, nowMs, { type: 'Progressing', status, reason, message }, isNews),
  });
  // Once complete, pods that become unready later do not start the deadline again.
  const wasComplete = current?.reason === 'NewReplicaSetAvailable' && counts.replicas === counts.updatedReplicas;
  const isSameRelease = current?.message.startsWith(what) ?? false;
  if (isComplete(deployment, counts) && Number(deployment.metadata.generation) >= 1)
    return say(
      'True',
      'NewReplicaSetAvailable',
      `${what} has successfully progressed.`,
      !isSameRelease || current?.reason !== 'NewReplicaSetAvailable',
    );
  if (wasComplete && isSameRelease && current) return { condition: current };
  if (!current || !isSameRelease || hasProgressed(deployment.status ?? {}, counts)) {
    const moved = say('True', current ? 'ReplicaSetUpdated' : 'NewReplicaSetCreated', `${what} is progressing.`, true);
    return { ...moved, deadlineInMs: deployment.spec.paused ? undefined : deadlineSeconds * 1000 };
  }
  if (current.reason === 'ProgressDeadlineExceeded' || deployment.spec.paused) return { condition: current };
  const leftMs = Date.parse(current.lastUpdateTime) + deadlineSeconds * 1000 - nowMs;
  if (leftMs > 0) return { condition: current, deadlineInMs: leftMs };
  return say('False', 'ProgressDeadlineExceeded', `${what} has timed out progressing.`, true);
}

function hasProgressed(before: Partial<Counts>, after: Counts): boolean {
  const oldBefore = (before.replicas ?? 0) - (before.updatedReplicas ?? 0);
  return (
    after.updatedReplicas > (before.updatedReplicas ?? 0) ||
    after.replicas - after.updatedReplicas < oldBefore ||
    after.readyReplicas > (before.readyReplicas ?? 0) ||
    after.availableReplicas > (before.availableReplicas ?? 0)
  );
}

function settled(
  previous: readonly DeploymentCondition[],
  nowMs: number,
  next: Pick<DeploymentCondition, 'type' | 'status' | 'reason' | 'message'>,
  isNews = false,
): DeploymentCondition {
  const now = timestamp(nowMs);
  const before = previous.find(({ type }) => type === next.type);
  const isSame = before?.status === next.status && before.reason === next.reason;
  return {
    ...next,
    lastUpdateTime: before && isSame && !isNews ? before.lastUpdateTime : now,
    lastTransitionTime: before?.status === next.status ? before.lastTransitionTime : now,
  };
}
