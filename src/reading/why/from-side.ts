import type { Canary } from '../../api/canary.ts';
import { needsNoOne } from '../../api/codes/codes.ts';
import type { Condition } from '../../api/kinds/condition.ts';
import type { DaemonSet } from '../../api/kinds/daemon-set.ts';
import type { PodWorkloadSpec } from '../../api/kinds/pod-workload-spec.ts';
import { specOf, statusOf } from '../../api/kinds/spec-of.ts';
import { isKnative } from '../../api/knative.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { progressDeadlineMs } from '../../engine/deadlines.ts';
import { isScaledToZero } from '../../workloads/daemon-set/scale-to-zero.ts';
import { type CanarySnapshot, mayNotRead } from '../snapshot.ts';
import { aboutIt, fieldProof, objectChange, type Trouble, toSet } from './finding.ts';
import { fromPods } from './from-pods.ts';
import { available, fromRecord } from './from-record.ts';
import { fromKnative, fromService } from './from-service.ts';

/** Reason for which one side of a release does not serve, from its own objects. */
export function fromSide(snapshot: CanarySnapshot, role: 'target' | 'primary'): Trouble {
  const { raw, canary, workload } = snapshot;
  const object = snapshot[role];
  const { namespace = '' } = raw.metadata;
  if (object === undefined) {
    const { kind = '', name = '' } = canary?.spec.targetRef ?? {};
    if (snapshot.hidden.includes(mayNotRead(kind))) return unreadable(snapshot, kind);
    const named = role === 'primary' && canary && workload ? workload.primaryRef(canary).name : name;
    const absent = { kind, metadata: { name: named, namespace } };
    const missing = fieldProof(absent, 'metadata', 'not found');
    if (role === 'primary') return { cause: 'PrimaryMissing', proof: [missing] };
    const ref = fieldProof(raw, 'spec.targetRef.name', name);
    return { cause: 'TargetNotFound', about: aboutIt(absent), proof: [missing, ref], change: objectChange('create', absent) };
  }
  const ownPods = role === 'target' ? snapshot.targetPods : snapshot.primaryPods;
  const pods = fromPods(ownPods);
  if (workload?.hasPods === false) return isKnative(object) ? fromKnative(object, role, pods) : fromService(object);
  const conditions = statusOf<{ conditions: Condition[] }>(object).conditions ?? [];
  const { paused, replicas } = specOf<PodWorkloadSpec>(object);
  const refused = conditions.find(({ type, status }) => type === 'ReplicaFailure' && status === 'True');
  const stalled = conditions.find(({ reason }) => reason === 'ProgressDeadlineExceeded');
  const about = aboutIt(object);
  if (paused === true) return { cause: 'RolloutPaused', about, proof: [fieldProof(object, 'spec.paused', true)] };
  if (refused)
    return { cause: 'PodsRefused', about, proof: [fieldProof(object, 'status.conditions[ReplicaFailure].message', refused.message)] };
  if (pods && !needsNoOne(pods.cause)) return pods;
  if (replicas === 0) return { cause: 'ScaledToZero', about, proof: [fieldProof(object, 'spec.replicas', 0)] };
  if (stalled)
    return {
      cause: 'RolloutStalled',
      about,
      proof: [fieldProof(object, 'status.conditions[Progressing].reason', stalled.reason)],
      change: { template: '' },
    };
  const { fault, state } = fromRecord(snapshot, role, object);
  return fault ?? pods ?? nowhere(object) ?? notYetAvailable(canary, role, object, ownPods.length) ?? state ?? starting(object);
}

/** It may exist or not: only the controller, which may read it, knows. */
function unreadable({ raw, canary }: CanarySnapshot, kind: string): Trouble {
  const { namespace = '' } = raw.metadata;
  const said = statusOf<{ conditions: Condition[] }>(raw).conditions?.find(({ type }) => type === 'Promoted')?.message;
  return {
    cause: 'Unreadable',
    about: { object: { kind, name: canary?.spec.targetRef.name ?? '', namespace } },
    proof: [fieldProof(raw, 'status.conditions[Promoted].message', said)],
  };
}

/** A DaemonSet has a pod for each node that fits it, and here none does. */
function nowhere(object: KubeObject): Trouble | undefined {
  const { observedGeneration = 0, desiredNumberScheduled = 0 } = statusOf<NonNullable<DaemonSet['status']>>(object);
  const isObserved = (object.metadata.generation ?? 0) <= observedGeneration;
  if (object.kind !== 'DaemonSet' || !isObserved || desiredNumberScheduled > 0 || isScaledToZero(object)) return undefined;
  return {
    cause: 'Unschedulable',
    proof: [fieldProof(object, 'status.desiredNumberScheduled', 0)],
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
    proof: [fieldProof(object, 'spec.minReadySeconds', minReadySeconds)],
    action: isTooLate ? 'make it shorter than progressDeadlineSeconds of the Canary, or that longer' : 'nothing to do but wait for it',
    // The primary has it from the target.
    ...(isTooLate && role === 'target' ? { change: toSet(object, 'spec.minReadySeconds') } : {}),
  };
}

/** The controller has not recorded that it waits for them. */
const starting = (object: KubeObject): Trouble => ({ cause: 'PodsStarting', about: aboutIt(object), proof: [available(object)] });
