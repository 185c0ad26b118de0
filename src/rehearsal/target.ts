import type { Canary } from '../api/canary.ts';
import type { ObjectRef } from '../api/kube-object.ts';
import { workloadFor } from '../workloads/index.ts';

/** The target as Serin reads it: of apps/v1, whatever version `targetRef` has. */
export function targetOf(canary: Canary): ObjectRef {
  const { targetRef } = canary.spec;
  const workload = workloadFor(targetRef);
  return 'unsupported' in workload ? { ...targetRef, namespace: canary.metadata.namespace } : workload.targetRef(canary);
}
