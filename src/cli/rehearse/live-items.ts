import { apiVersion, type Canary } from '../../api/canary.ts';
import type { PodWorkloadSpec } from '../../api/kinds/pod-workload-spec.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import type { ClusterReader } from '../../kube/cluster.ts';
import { ApiError } from '../../kube/errors.ts';
import { ifReadable } from '../../reading/if-readable.ts';
import { edgeOf } from '../../rehearsal/edges.ts';
import { configObjectRef } from '../../workloads/configs/config-ref.ts';
import { configReferences } from '../../workloads/configs/references.ts';
import { type Item, itemOf } from '../validate/documents.ts';
import { type LiveItems, readCluster } from '../validate/live.ts';
import { type CanaryItem, manifestsOf } from '../validate/manifests.ts';

/** The place of an object from the cluster, which is judged like a file. */
export const LIVE = 'cluster';

/** The Canary of that name in its applied form; empty if it does not exist, since the files can contain it. */
export async function liveCanary(
  cluster: ClusterReader,
  { name, namespace = 'default' }: { name: string; namespace: string | undefined },
): Promise<Item[]> {
  const [own = name, within = namespace] = name.split('/').toReversed();
  const found = await cluster.get({ apiVersion, kind: 'Canary', name: own, namespace: within });
  return found === undefined
    ? []
    : [itemOf(asApplied({ ...found, apiVersion, kind: 'Canary' }), { source: LIVE, file: LIVE, lineOf: () => 1 })];
}

/** Objects that the Canaries of these items use and that the items lack, in their state before Serin took them over. Reads only, and never a Secret. */
export async function readForRehearsal(cluster: ClusterReader, items: readonly Item[]): Promise<LiveItems> {
  const reader = withoutSecrets(cluster);
  const { items: referred, ...unseen } = await readCluster(reader, items, { withArrival: false });
  const { canaries } = manifestsOf(items);
  const known = [...items, ...referred];
  const more = await Promise.all(canaries.map((canary) => readMore(reader, canary, known)));
  const generated = new Set(canaries.flatMap(generatedBy));
  const own = [...referred, ...more.flat()].filter(({ object, name, namespace }) => !generated.has(`${object.kind} ${namespace}/${name}`));
  return { items: own.map((item) => asBefore(item, known, canaries)), ...unseen };
}

/** ConfigMaps of the target, Gateways, listed routes, and the object by which users enter. */
async function readMore(cluster: ClusterReader, { canary }: CanaryItem, known: readonly Item[]): Promise<Item[]> {
  const { spec, metadata } = canary;
  const { namespace } = metadata;
  const target = known.find(({ object, name }) => object.kind === spec.targetRef.kind && name === spec.targetRef.name)?.object;
  const configs = configReferences(specOf<PodWorkloadSpec>(target).template?.spec)
    .filter(({ kind }) => kind === 'ConfigMap')
    .map((ref) => configObjectRef(ref, namespace));
  const gateways = (spec.service.gatewayRefs ?? []).map(({ name, namespace: at = namespace }) => ({
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'Gateway',
    name,
    namespace: at,
  }));
  const listed = (spec.routeRefs ?? []).map((ref) => ({ ...ref, namespace }));
  // Unreadable objects are absent here: the rehearsal makes them up, and says so.
  const named = await Promise.all(
    [...configs, ...gateways, ...listed].map(async (ref: ObjectRef) => {
      const object = await ifReadable(cluster.get(ref), undefined);
      return object ? [{ ...object, kind: ref.kind }] : [];
    }),
  );
  const found = [...named.flat(), ...(await edgesIn(cluster, canary))];
  return found
    .map((object) => itemOf(object))
    .filter((item) => !known.some(({ object, name }) => object.kind === item.object.kind && name === item.name));
}

async function edgesIn(cluster: ClusterReader, canary: Canary): Promise<KubeObject[]> {
  const edge = edgeOf(canary);
  if (edge === undefined) return [];
  const { apiVersion: version, kind } = edge;
  const list = cluster.list({ apiVersion: version, kind, namespace: canary.metadata.namespace });
  return (await ifReadable(list, { items: [] })).items.map((object) => ({ ...object, apiVersion: version, kind }));
}

/** Objects that a release makes: the rehearsal makes them itself. */
function generatedBy({ canary }: CanaryItem): string[] {
  const { primary, primaryService, canaryService, apexService, primaryScaler, ingressCopy, routeCopy } = names(canary);
  const { targetRef, autoscalerRef } = canary.spec;
  const at = canary.metadata.namespace;
  return [
    `${targetRef.kind} ${at}/${primary}`,
    ...[primaryService, canaryService, apexService].map((name) => `Service ${at}/${name}`),
    ...(primaryScaler ? [`${autoscalerRef?.kind} ${at}/${primaryScaler}`] : []),
    ...(ingressCopy ? [`Ingress ${at}/${ingressCopy}`] : []),
    ...(routeCopy ? [`ApisixRoute ${at}/${routeCopy}`] : []),
  ];
}

/** An idle target has no pods: before the Canary it had those of its primary. */
function asBefore(item: Item, known: readonly Item[], canaries: readonly CanaryItem[]): Item {
  const object = asApplied(item.object);
  const canary = canaries.find(({ canary: { spec } }) => spec.targetRef.kind === object.kind && spec.targetRef.name === item.name)?.canary;
  if (canary === undefined || specOf<PodWorkloadSpec>(object).replicas !== 0) return { ...item, object };
  const primary = known.find(({ object: { kind }, name }) => kind === object.kind && name === names(canary).primary);
  return { ...item, object: { ...object, spec: { ...specOf(object), replicas: specOf<PodWorkloadSpec>(primary?.object).replicas || 1 } } };
}

function asApplied({ metadata, status: _, ...rest }: KubeObject): KubeObject {
  const { name, namespace, labels, annotations } = metadata;
  const own = Object.entries(annotations ?? {}).filter(
    ([key]) => !key.startsWith('kubectl.kubernetes.io/') && !key.startsWith('deployment.kubernetes.io/'),
  );
  return {
    ...rest,
    metadata: { name, ...(namespace && { namespace }), ...(labels && { labels }), annotations: Object.fromEntries(own) },
  } as KubeObject;
}

/** Secrets are treated as forbidden. */
function withoutSecrets({ get, list }: ClusterReader): ClusterReader {
  return {
    list,
    async get(ref, options) {
      if (ref.kind === 'Secret') throw new ApiError('a rehearsal reads no Secret', { status: 403, reason: 'Forbidden' });
      return get(ref, options);
    },
  };
}
