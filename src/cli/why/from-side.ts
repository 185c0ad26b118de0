import type { Canary } from '../../api/canary.ts';
import type { Condition } from '../../api/kinds/condition.ts';
import type { DaemonSet } from '../../api/kinds/daemon-set.ts';
import type { PodWorkloadSpec } from '../../api/kinds/pod-workload-spec.ts';
import { specOf, statusOf } from '../../api/kinds/spec-of.ts';
import { isKnative } from '../../api/knative.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { progressDeadlineMs } from '../../engine/deadlines.ts';
import { isScaledToZero } from '../../workloads/daemon-set/scale-to-zero.ts';
import { type CanarySnapshot, mayNotRead } from '../canaries/snapshot.ts';
import { harmless } from './causes.ts';
import { changeOf, proofIn, type Trouble, toSet } from './finding.ts';
import { fromPods } from './from-pods.ts';
import { fromKnative, fromService } from './from-service.ts';

/** Why one side of a release does not serve, as its own objects say it. */
export function fromSide(snapshot: CanarySnapshot, role: 'target' | 'primary'): Trouble {
  const { raw, canary, workload } = snapshot;
  const object = snapshot[role];
  const { namespace = '' } = raw.metadata;
  if (object === undefined) {
    const { kind = '', name = '' } = canary?.spec.targetRef ?? {};
    if (snapshot.hidden.includes(mayNotRead(kind))) return unreadable(snapshot, kind);
    const named = role === 'primary' && canary && workload ? workload.primaryRef(canary).name : name;
    const missing = proofIn({ kind, metadata: { name: named, namespace } }, 'metadata', 'not found');
    if (role === 'primary')
      return {
        cause: 'PrimaryMissing',
        proof: [missing],
        action: 'wait until Serin has made it; if it does not appear, read the log of the controller',
      };
    const ref = proofIn(raw, 'spec.targetRef.name', name);
    const action = `create ${kind} ${name}, or correct spec.targetRef`;
    return { cause: 'TargetNotFound', proof: [missing, ref], action, change: changeOf('create', { kind, metadata: { name, namespace } }) };
  }
  const ownPods = role === 'target' ? snapshot.targetPods : snapshot.primaryPods;
  const pods = fromPods(ownPods);
  if (workload?.hasPods === false) return isKnative(object) ? fromKnative(object, role, pods) : fromService(object);
  const conditions = statusOf<{ conditions: Condition[] }>(object).conditions ?? [];
  const { paused, replicas } = specOf<PodWorkloadSpec>(object);
  const refused = conditions.find(({ type, status }) => type === 'ReplicaFailure' && status === 'True');
  const stalled = conditions.find(({ reason }) => reason === 'ProgressDeadlineExceeded');
  const where = `${object.kind.toLowerCase()} ${object.metadata.name} -n ${namespace}`;
  if (paused === true)
    return {
      cause: 'RolloutPaused',
      proof: [proofIn(object, 'spec.paused', true)],
      action: `set spec.paused of ${object.kind} ${object.metadata.name} to false`,
      command: `kubectl rollout resume ${where.replace(' ', '/')}`,
    };
  if (refused)
    return {
      cause: 'PodsRefused',
      proof: [proofIn(object, 'status.conditions[ReplicaFailure].message', refused.message)],
      action: 'raise the quota, or correct the field that the admission rule names',
      look: `kubectl describe ${where}`,
    };
  if (pods && !harmless.has(pods.cause)) return pods;
  if (replicas === 0)
    return {
      cause: 'ScaledToZero',
      proof: [proofIn(object, 'spec.replicas', 0)],
      action: `scale ${object.kind} ${object.metadata.name} up`,
      command: `kubectl scale ${where.replace(' ', '/')} --replicas=1`,
    };
  if (stalled)
    return {
      cause: 'RolloutStalled',
      proof: [proofIn(object, 'status.conditions[Progressing].reason', stalled.reason)],
      action: `correct ${object.metadata.name}: only an edit of it starts its rollout again`,
      change: { template: '' },
      look: `kubectl rollout status ${where.replace(' ', '/')}`,
    };
  return pods ?? nowhere(object) ?? notYetAvailable(canary, role, object, ownPods.length) ?? starting(object);
}

/** It may exist or not: only the controller, which may read it, knows. */
function unreadable({ raw }: CanarySnapshot, kind: string): Trouble {
  const { namespace = '' } = raw.metadata;
  const said = statusOf<{ conditions: Condition[] }>(raw).conditions?.find(({ type }) => type === 'Promoted')?.message;
  return {
    cause: 'Unreadable',
    proof: [proofIn(raw, 'status.conditions[Promoted].message', said)],
    action: `get the right to read ${kind}s in ${namespace}, or ask a user who has it: without it this is all that is known`,
    look: `kubectl auth can-i get ${kind.toLowerCase()}s -n ${namespace}`,
  };
}

/** A DaemonSet has a pod for each node that fits it, and here none does. */
function nowhere(object: KubeObject): Trouble | undefined {
  const { observedGeneration = 0, desiredNumberScheduled = 0 } = statusOf<NonNullable<DaemonSet['status']>>(object);
  const isObserved = (object.metadata.generation ?? 0) <= observedGeneration;
  if (object.kind !== 'DaemonSet' || !isObserved || desiredNumberScheduled > 0 || isScaledToZero(object)) return undefined;
  return {
    cause: 'Unschedulable',
    proof: [proofIn(object, 'status.desiredNumberScheduled', 0)],
    action: 'correct nodeSelector, affinity or tolerations in the pod template, or give it a node that they fit',
    change: { template: '.spec' },
    look: 'kubectl get nodes --show-labels',
  };
}

/** Every pod is ready, as each says itself. */
function notYetAvailable(canary: Canary | undefined, role: 'target' | 'primary', object: KubeObject, pods: number): Trouble | undefined {
  const { minReadySeconds = 0 } = specOf<PodWorkloadSpec>(object);
  if (minReadySeconds === 0 || pods === 0) return undefined;
  const isTooLate = canary !== undefined && minReadySeconds * 1000 >= progressDeadlineMs(canary);
  return {
    cause: 'NotYetAvailable',
    proof: [proofIn(object, 'spec.minReadySeconds', minReadySeconds)],
    action: isTooLate ? 'make it shorter than progressDeadlineSeconds of the Canary, or that longer' : 'nothing to do but wait so long',
    // The primary has it from the target.
    ...(isTooLate && role === 'target' ? { change: toSet(object, 'spec.minReadySeconds') } : {}),
  };
}

function starting(object: KubeObject): Trouble {
  const counter = object.kind === 'DaemonSet' ? 'numberAvailable' : 'availableReplicas';
  return {
    cause: 'PodsStarting',
    proof: [proofIn(object, `status.${counter}`, statusOf<Record<typeof counter, number>>(object)[counter] ?? 0)],
    action: 'nothing to do but wait for its pods',
  };
}
