import type { TargetRef } from '../api/canary.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { deployment } from './deployment/deployment.ts';
import type { Watched, Workload } from './workload.ts';

/** The kinds that can be released, by `kind` of `spec.targetRef`. */
export const workloads = { Deployment: deployment } satisfies Partial<Record<TargetRef['kind'], Workload>>;

/** The plug-in for this target. A kind without one is refused and never treated as another (unlike 03 W1). */
export function workloadFor(target: { apiVersion: string; kind: string; name?: string }): Workload | { unsupported: string } {
  if (target.kind === 'Deployment' && target.apiVersion === 'apps/v1') return workloads.Deployment;
  return { unsupported: `spec.targetRef: ${target.apiVersion} ${target.kind} cannot be released yet; use an apps/v1 Deployment` };
}

/** What is remembered of a watched object: of workloads the part that decisions need, and what their pods are decided by. */
export function remembered(object: KubeObject): Watched {
  const workload = workloadFor(object);
  if ('unsupported' in workload) return { object };
  return { object: workload.slim(object), revision: workload.revision(object) };
}
