import type { Canary } from '../../api/canary.ts';
import type { ObjectRef } from '../../api/kube-object.ts';
import { companionKinds } from '../../workloads/companions/index.ts';
import { workloadFor } from '../../workloads/index.ts';
import type { ControllerConfig } from '../config.ts';

/** Kinds of which this Canary's primary gets companions, all objects of its namespace each. */
export function companionRefs(canary: Canary, { companions }: Pick<ControllerConfig, 'companions'>): (ObjectRef & { namespace: string })[] {
  const workload = workloadFor(canary.spec.targetRef);
  // Others have no pods of their own that could be selected.
  if ('unsupported' in workload || !workload.hasPods) return [];
  const { namespace } = canary.metadata;
  return companions.map((name) => {
    const { apiVersion, kind } = companionKinds[name];
    return { apiVersion, kind, name: '', namespace };
  });
}
