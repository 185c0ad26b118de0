import { asPod } from '../../api/kinds/pod.ts';
import { asReplicaSet } from '../../api/kinds/replica-set.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { asRecord } from '../../reading/canary-reading.ts';

/** The state of a pod, without the inputs of its containers (`env`, `args`). */
export function podSummary(pod: KubeObject): object {
  const { metadata, spec, status = {} } = asPod(pod);
  const { name, creationTimestamp, deletionTimestamp, ownerReferences = [] } = metadata;
  const statuses = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  return {
    name,
    created: creationTimestamp,
    ...(deletionTimestamp === undefined ? {} : { deleting: deletionTimestamp }),
    of: ownerReferences.map((owner) => `${owner.kind}/${owner.name}`),
    node: spec?.nodeName,
    phase: status.phase,
    ...(status.reason === undefined ? {} : { reason: status.reason, message: status.message }),
    conditions: status.conditions ?? [],
    containers: statuses.map((one) => containerSummary(asRecord(one))),
  };
}

function containerSummary({ name, image, imageID, ready, restartCount, state, lastState }: Record<string, unknown>): object {
  return { name, image, imageID, ready, restarts: restartCount, state, lastState };
}

/** The state of a ReplicaSet, without its pod template. */
export function replicaSetSummary(replicaSet: KubeObject): object {
  const { metadata, spec, status = {} } = asReplicaSet(replicaSet);
  const { name, creationTimestamp, annotations = {}, labels = {}, ownerReferences = [] } = metadata;
  const containers: unknown = spec?.template?.spec?.containers;
  return {
    name,
    created: creationTimestamp,
    of: ownerReferences.map((owner) => `${owner.kind}/${owner.name}`),
    revision: annotations['deployment.kubernetes.io/revision'],
    hash: labels['pod-template-hash'],
    images: (Array.isArray(containers) ? containers : []).map((one) => asRecord(one).image),
    wanted: spec?.replicas,
    replicas: status.replicas ?? 0,
    ready: status.readyReplicas ?? 0,
    available: status.availableReplicas ?? 0,
    conditions: status.conditions ?? [],
  };
}
