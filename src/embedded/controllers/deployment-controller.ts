import type { Deployment } from '../../api/kinds/deployment.ts';
import type { PodTemplate } from '../../api/kinds/pod-template.ts';
import { asReplicaSet, type ReplicaSet } from '../../api/kinds/replica-set.ts';
import { type KubeObject, type Labels, refOf } from '../../api/kube-object.ts';
import { canonicalJson } from '../../base/json.ts';
import { oncePerObject } from '../../base/once.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { deploymentStatus } from './deployment-status.ts';
import { keyOf, writeStatus } from './object-store.ts';
import { bounds, nextSizes, proportionalSizes, type Sized } from './rolling-update.ts';
import { controllerOf, controllerReference, shortHash } from './selectors.ts';
import type { Stores } from './stores.ts';

const REVISION = 'deployment.kubernetes.io/revision';
const DESIRED = 'deployment.kubernetes.io/desired-replicas';
const MAXIMUM = 'deployment.kubernetes.io/max-replicas';
const HASH = 'pod-template-hash';
/** Annotations that describe the Deployment itself and are not passed to its ReplicaSets. */
const OWN_ANNOTATIONS = new Set(['kubectl.kubernetes.io/last-applied-configuration', REVISION, DESIRED, MAXIMUM]);

/** One pass over one Deployment: makes its ReplicaSets follow its spec, then writes its status. Gives when to look again. */
export async function syncDeployment(cluster: Cluster, stores: Stores, key: string, nowMs: number): Promise<number | undefined> {
  const deployment = stores.deployments.get(key);
  if (!deployment || deployment.metadata.deletionTimestamp) return undefined;
  const owned = stores.replicaSets
    .list()
    .filter((set) => controllerOf(set)?.uid === deployment.metadata.uid && !set.metadata.deletionTimestamp)
    .toSorted((a, b) => revisionOf(a) - revisionOf(b));
  const writer = { cluster, stores, deployment };
  const existing = freshOf(deployment, owned);
  // Another template is made a ReplicaSet of, and counted, only with a look at which it is neither paused nor scaled.
  const scales = isScaling(deployment, owned);
  const fresh = existing || !(deployment.spec.paused || scales) ? await withRevision(writer, owned, existing) : undefined;
  const old = owned.filter((set) => set.metadata.uid !== fresh?.metadata.uid);

  if (scales) await scaleInProportion(writer, fresh, old);
  else if (!deployment.spec.paused && fresh) await rollOut(writer, fresh, old);

  const sets = [...old, ...(fresh ? [fresh] : [])].map((set) => stores.replicaSets.get(keyOf(set)) ?? set);
  const freshNow = sets.find((set) => set.metadata.uid === fresh?.metadata.uid);
  const oldNow = sets.filter((set) => set !== freshNow);
  const { status, isComplete, deadlineInMs } = deploymentStatus(deployment, freshNow, oldNow, nowMs);
  if (isComplete) await forgetHistory(writer, oldNow);
  await writeStatus(cluster, stores.deployments, writer.deployment, status);
  return deadlineInMs;
}

interface DeploymentWriter {
  cluster: Cluster;
  stores: Stores;
  deployment: Deployment;
}

const revisionOf = (object: KubeObject): number => Number(object.metadata.annotations?.[REVISION] ?? 0);

/** The ReplicaSet whose template is the Deployment's, the hash label apart. */
function freshOf(deployment: Deployment, sets: readonly ReplicaSet[]): ReplicaSet | undefined {
  const wanted = textOf(deployment.spec.template);
  return sets.find((set) => textOf(set.spec.template) === wanted);
}

/** A template as text, the hash label apart; the same version of an object is compared at each pass. */
const textOf = oncePerObject((template: PodTemplate) => canonicalJson(withoutHash(template)));

function withoutHash(template: PodTemplate): unknown {
  const { [HASH]: _, ...labels } = template.metadata?.labels ?? {};
  const { creationTimestamp: __, ...metadata } = { creationTimestamp: null, ...template.metadata };
  return { ...template, metadata: { ...metadata, labels } };
}

async function withRevision(writer: DeploymentWriter, owned: readonly ReplicaSet[], existing: ReplicaSet | undefined): Promise<ReplicaSet> {
  const { cluster, stores, deployment } = writer;
  const newest = Math.max(0, ...owned.filter((set) => set !== existing).map(revisionOf));
  const revision = String(existing && revisionOf(existing) > newest ? revisionOf(existing) : newest + 1);
  // It follows an edit of the Deployment without a new template (as kube-controller-manager has it).
  const minReadySeconds = deployment.spec.minReadySeconds || undefined;
  let fresh = existing;
  if (!fresh) fresh = asReplicaSet(await cluster.create(replicaSetFor(deployment, revision, initialSize(deployment, owned))));
  else if (fresh.metadata.annotations?.[REVISION] !== revision || (fresh.spec.minReadySeconds || undefined) !== minReadySeconds) {
    const metadata = { annotations: { [REVISION]: revision } };
    fresh = asReplicaSet(await cluster.patch(refOf(fresh), { metadata, spec: { minReadySeconds: minReadySeconds ?? null } }));
  }
  stores.replicaSets.remember(fresh);
  if (deployment.metadata.annotations?.[REVISION] !== revision) {
    const marked = await cluster.patch(refOf(deployment), { metadata: { annotations: { [REVISION]: revision } } });
    stores.deployments.remember(marked);
    writer.deployment = { ...deployment, metadata: { ...deployment.metadata, ...marked.metadata } };
  }
  return fresh;
}

function initialSize(deployment: Deployment, owned: readonly ReplicaSet[]): number {
  const replicas = Number(deployment.spec.replicas ?? 1);
  const present = owned.reduce((sum, set) => sum + Number(set.spec.replicas ?? 0), 0);
  if (deployment.spec.strategy?.type === 'Recreate') return present === 0 && owned.length === 0 ? replicas : 0;
  return Math.max(0, Math.min(replicas, replicas + bounds(deployment.spec.strategy?.rollingUpdate, replicas).maxSurge - present));
}

function replicaSetFor(deployment: Deployment, revision: string, replicas: number): KubeObject {
  const { template, selector, minReadySeconds } = deployment.spec;
  const hash = shortHash(canonicalJson([template, deployment.status?.collisionCount ?? 0]));
  const labels = { ...template.metadata?.labels, [HASH]: hash };
  const kept = Object.entries(deployment.metadata.annotations ?? {}).filter(([name]) => !OWN_ANNOTATIONS.has(name));
  const { namespace = '' } = deployment.metadata;
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${deployment.metadata.name}-${hash}`,
      namespace,
      labels,
      annotations: { ...Object.fromEntries(kept), [REVISION]: revision, ...sizeAnnotations(deployment) },
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas,
      ...(minReadySeconds ? { minReadySeconds } : {}),
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [HASH]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

function sizeAnnotations(deployment: Deployment): Labels {
  const replicas = Number(deployment.spec.replicas ?? 1);
  return { [DESIRED]: String(replicas), [MAXIMUM]: String(replicas + surgeOf(deployment)) };
}

const surgeOf = (deployment: Deployment): number =>
  deployment.spec.strategy?.type === 'Recreate'
    ? 0
    : bounds(deployment.spec.strategy?.rollingUpdate, Number(deployment.spec.replicas ?? 1)).maxSurge;

const isActive = (set: ReplicaSet): boolean => Number(set.spec.replicas ?? 0) > 0;

/** `spec.replicas` moved since the active ReplicaSets were sized. */
function isScaling(deployment: Deployment, owned: readonly ReplicaSet[]): boolean {
  const wanted = String(deployment.spec.replicas ?? 1);
  return owned.filter(isActive).some((set) => (set.metadata.annotations?.[DESIRED] ?? wanted) !== wanted);
}

async function scaleInProportion(writer: DeploymentWriter, fresh: ReplicaSet | undefined, old: readonly ReplicaSet[]): Promise<void> {
  const { deployment } = writer;
  const wanted = Number(deployment.spec.replicas ?? 1);
  const all = [...old, ...(fresh ? [fresh] : [])];
  const active = all.filter(isActive);
  const [only] = active;
  if (only && active.length === 1) return resize(writer, only, wanted);
  const total = wanted === 0 ? 0 : wanted + surgeOf(deployment);
  const present = active.reduce((sum, set) => sum + Number(set.spec.replicas), 0);
  const sizes = proportionalSizes(active.map(sized), Math.min(Math.max(present, wanted), total));
  for (const set of active) await resize(writer, set, sizes.get(set.metadata.name) ?? 0);
}

async function rollOut(writer: DeploymentWriter, fresh: ReplicaSet, old: readonly ReplicaSet[]): Promise<void> {
  const { deployment, stores } = writer;
  const replicas = Number(deployment.spec.replicas ?? 1);
  const active = old.filter(isActive);
  if (deployment.spec.strategy?.type === 'Recreate') {
    for (const set of active) await resize(writer, set, 0);
    const oldUids = new Set(old.map((set) => set.metadata.uid));
    const isOldRunning = stores.pods.list().some((pod) => oldUids.has(controllerOf(pod)?.uid ?? ''));
    if (active.length === 0 && !isOldRunning) await resize(writer, fresh, replicas);
    return;
  }
  const sizes = nextSizes({
    replicas,
    ...bounds(deployment.spec.strategy?.rollingUpdate, replicas),
    fresh: sized(fresh),
    old: active.map(sized),
  });
  for (const set of [fresh, ...active]) {
    const size = sizes.get(set.metadata.name);
    if (size !== undefined) await resize(writer, set, size);
  }
}

const sized = (set: ReplicaSet): Sized => ({
  name: set.metadata.name,
  replicas: Number(set.spec.replicas ?? 0),
  available: Number(set.status?.availableReplicas ?? 0),
});

async function resize({ cluster, stores, deployment }: DeploymentWriter, set: ReplicaSet, replicas: number): Promise<void> {
  const annotations = sizeAnnotations(deployment);
  const isSame =
    Number(set.spec.replicas ?? 0) === replicas &&
    Object.entries(annotations).every(([name, value]) => set.metadata.annotations?.[name] === value);
  if (isSame) return;
  const resourceVersion = stores.replicaSets.get(keyOf(set))?.metadata.resourceVersion;
  stores.replicaSets.remember(await cluster.patch(refOf(set), { metadata: { resourceVersion, annotations }, spec: { replicas } }));
}

async function forgetHistory({ cluster, deployment }: DeploymentWriter, old: readonly ReplicaSet[]): Promise<void> {
  const limit = Number(deployment.spec.revisionHistoryLimit ?? 10);
  const idle = old.filter((set) => !isActive(set) && Number(set.status?.replicas ?? 0) === 0);
  for (const set of idle.slice(0, Math.max(0, idle.length - limit))) await cluster.delete(refOf(set), { propagationPolicy: 'Background' });
}
