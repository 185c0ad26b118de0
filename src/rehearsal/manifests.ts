import { type KubeObject, refOf } from '../api/kube-object.ts';
import { ApiError } from '../kube/errors.ts';
import type { KubeCluster } from '../kube/kube-cluster.ts';

/** An object that is not part of the rehearsal. */
export interface NotApplied {
  kind: string;
  name: string;
  why: string;
  /** The cluster does not serve this kind; otherwise the API server refuses the object. */
  isUnknownKind: boolean;
}

/** Applied before the objects that name them. */
const FIRST = ['ServiceAccount', 'Secret', 'ConfigMap', 'Gateway', 'Service', 'MetricTemplate', 'AlertProvider'];
const LAST = ['HorizontalPodAutoscaler', 'ScaledObject', 'Canary'];
/** Kinds without effect on a release; the rehearsal counts a ResourceQuota itself. */
const SKIPPED = new Set([
  ...['CustomResourceDefinition', 'Namespace', 'ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'],
  ...['ResourceQuota', 'PodDisruptionBudget', 'NetworkPolicy'],
]);

export async function applyManifests(cluster: KubeCluster, objects: readonly KubeObject[]): Promise<NotApplied[]> {
  const namespaces = new Set(objects.map(({ metadata }) => metadata.namespace ?? 'default'));
  for (const name of namespaces)
    if (name !== 'default' && !name.startsWith('kube-')) await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const problems: NotApplied[] = [];
  for (const object of objects.toSorted((a, b) => rank(a) - rank(b))) {
    if (SKIPPED.has(object.kind)) continue;
    const { name, namespace = 'default', labels, annotations } = object.metadata;
    const { status: _, ...rest } = object;
    const own = { name, namespace, ...(labels && { labels }), ...(annotations && { annotations }) };
    await cluster.apply({ ...rest, metadata: own } as KubeObject, { fieldManager: 'rehearsal' }).catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
      problems.push({ kind: object.kind, name: refOf(object).name, why: error.message, isUnknownKind: error.status === 404 });
    });
  }
  return problems;
}

function rank({ kind }: KubeObject): number {
  const first = FIRST.indexOf(kind);
  if (first >= 0) return first;
  const last = LAST.indexOf(kind);
  return last < 0 ? FIRST.length : FIRST.length + 1 + last;
}
