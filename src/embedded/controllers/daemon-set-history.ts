import type { ControllerRevision } from '../../api/kinds/controller-revision.ts';
import type { DaemonSet } from '../../api/kinds/daemon-set.ts';
import { type KubeObject, refOf } from '../../api/kube-object.ts';
import { canonicalJson } from '../../base/json.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { REVISION_HASH, TEMPLATE_GENERATION } from './daemon-set-pods.ts';
import type { ObjectStore } from './object-store.ts';
import { controllerOf, controllerReference, shortHash } from './selectors.ts';

/** The hash of the set's template now; its ControllerRevision is made, or moved to the front when the template is an old one. */
export async function currentRevision(cluster: Cluster, revisions: ObjectStore<ControllerRevision>, set: DaemonSet): Promise<string> {
  const data = { spec: { template: { ...set.spec.template, $patch: 'replace' } } };
  const owned = historyOf(revisions, set);
  const found = owned.find((revision) => canonicalJson(revision.data) === canonicalJson(data));
  const newest = Math.max(0, ...owned.filter((revision) => revision !== found).map(({ revision }) => Number(revision)));
  const hash = found?.metadata.labels?.[REVISION_HASH] ?? shortHash(canonicalJson(data));
  if (found === undefined) revisions.remember(await cluster.create(revisionFor(set, data, hash, newest + 1)));
  else if (Number(found.revision) <= newest) revisions.remember(await cluster.patch(refOf(found), { revision: newest + 1 }));
  return hash;
}

/** Deletes the oldest revisions that no pod carries, beyond `revisionHistoryLimit`. */
export async function forgetRevisions(
  cluster: Cluster,
  revisions: ObjectStore<ControllerRevision>,
  set: DaemonSet,
  pods: readonly KubeObject[],
  current: string,
): Promise<void> {
  const carried = new Set([current, ...pods.map((pod) => pod.metadata.labels?.[REVISION_HASH])]);
  const idle = historyOf(revisions, set).filter(({ metadata }) => !carried.has(metadata.labels?.[REVISION_HASH]));
  const excess = idle.toSorted((a, b) => Number(a.revision) - Number(b.revision));
  for (const revision of excess.slice(0, Math.max(0, idle.length - Number(set.spec.revisionHistoryLimit ?? 10))))
    await cluster.delete(refOf(revision));
}

const historyOf = (revisions: ObjectStore<ControllerRevision>, set: DaemonSet): ControllerRevision[] =>
  revisions.list().filter((revision) => controllerOf(revision)?.uid === set.metadata.uid && !revision.metadata.deletionTimestamp);

function revisionFor(set: DaemonSet, data: object, hash: string, revision: number): KubeObject {
  const { name, namespace = '', annotations } = set.metadata;
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: `${name}-${hash}`,
      namespace,
      labels: { ...set.spec.template.metadata?.labels, [REVISION_HASH]: hash },
      annotations: { [TEMPLATE_GENERATION]: annotations?.[TEMPLATE_GENERATION] ?? '0' },
      ownerReferences: [controllerReference(set)],
    },
    data,
    revision,
  };
}
