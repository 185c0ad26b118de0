import type { Canary } from '../api/canary.ts';
import type { ObjectRef } from '../api/kube-object.ts';
import { workloadFor } from '../workloads/index.ts';

/** The target that Serin reads: of apps/v1; the version of `targetRef` is ignored. */
export function targetOf(canary: Canary): ObjectRef {
  const { targetRef } = canary.spec;
  const workload = workloadFor(targetRef);
  return 'unsupported' in workload ? { ...targetRef, namespace: canary.metadata.namespace } : workload.targetRef(canary);
}
