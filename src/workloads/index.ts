import type { TargetRef } from '../api/canary.ts';
import { namedCommit } from '../api/commit.ts';
import { knativeApiVersion } from '../api/knative.ts';
import type { KubeObject, Slim } from '../api/kube-object.ts';
import { defined } from '../base/defined.ts';
import { entriesOf } from '../kube/taken-over-fields.ts';
import type { ConfigRef } from './configs/config-ref.ts';
import { MOST_CONFIGS } from './configs/read-configs.ts';
import { coreService } from './core-service/core-service.ts';
import { slimSlice } from './core-service/endpoints.ts';
import { daemonSet } from './daemon-set/daemon-set.ts';
import { deployment } from './deployment/deployment.ts';
import { knative } from './knative/knative.ts';
import { slimRevision } from './knative/revisions.ts';
import { imagesOf } from './pods/images.ts';
import type { Watched, Workload } from './workload.ts';

/** The kinds that can be released, by `kind` of `spec.targetRef`. A Knative Service differs from a core one by its group. */
export const workloads = {
  DaemonSet: daemonSet,
  Deployment: deployment,
  Service: coreService,
  'Knative Service': knative,
} satisfies Record<TargetRef['kind'] | 'Knative Service', Workload>;

/** All are read as apps/v1. `v1` is used in an example of Flagger's documentation; the others were served in the past. */
const APPS_VERSIONS = new Set(['apps/v1', 'v1', 'apps/v1beta1', 'apps/v1beta2', 'extensions/v1beta1']);

type NamedTarget = { apiVersion: string; kind: string; name?: string };

/** The plug-in for this target. A kind without one is refused and never treated as another. */
export function workloadFor(target: NamedTarget): Workload | { unsupported: string } {
  const { apiVersion, kind } = target;
  if (APPS_VERSIONS.has(apiVersion) && kind === 'Deployment') return workloads.Deployment;
  if (APPS_VERSIONS.has(apiVersion) && kind === 'DaemonSet') return workloads.DaemonSet;
  if (apiVersion === knativeApiVersion && kind === 'Service') return workloads['Knative Service'];
  // `core/v1` is used in Flagger's examples for the group without a name.
  if ((apiVersion === 'v1' || apiVersion === 'core/v1') && kind === 'Service') return workloads.Service;
  return {
    unsupported: `spec.targetRef: ${apiVersion} ${kind} cannot be released; use a Deployment or DaemonSet of apps/v1, a Service of v1, or one of ${knativeApiVersion}`,
  };
}

/** Watched kinds that are not targets, with the part that is kept of them. */
const companions: Readonly<Record<string, (object: KubeObject) => Slim>> = {
  'discovery.k8s.io/v1/EndpointSlice': slimSlice,
  [`${knativeApiVersion}/Revision`]: slimRevision,
};

/** The cached part of a watched object: for workloads the fields that decisions need, and the fields that decide their pods. */
export function remembered(object: KubeObject): Watched {
  const workload = workloadFor(object);
  if ('unsupported' in workload) {
    const slim = companions[`${object.apiVersion}/${object.kind}`];
    return { object: slim?.(object) ?? object };
  }
  const configs = remembering(workload.configs?.(object));
  const reportedMs = lastReportMs(object);
  return defined({
    object: workload.slim(object),
    revision: workload.revision(object),
    ...{ configs, reportedMs },
    images: imagesOf(object),
    commit: namedCommit(object),
  });
}

/** At most as many of each kind as show that there are too many: a pod template can contain ten thousands. */
function remembering(refs: readonly ConfigRef[] | undefined): readonly ConfigRef[] | undefined {
  const counts = { ConfigMap: 0, Secret: 0 };
  return refs?.filter(({ kind }) => {
    counts[kind] += 1;
    return counts[kind] <= MOST_CONFIGS + 1;
  });
}

/** Time of the last change of status: the API server records it with the fields of their writer. */
function lastReportMs(object: KubeObject): number | undefined {
  const times = entriesOf(object).flatMap(({ subresource, time }) => (subresource === 'status' ? Date.parse(time ?? '') : []));
  return times.filter((time) => !Number.isNaN(time)).toSorted((a, b) => b - a)[0];
}
