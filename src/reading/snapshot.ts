import type { Canary } from '../api/canary.ts';
import { apiVersion } from '../api/canary.ts';
import { asEvent } from '../api/kinds/event.ts';
import { specOf } from '../api/kinds/spec-of.ts';
import { isKnative } from '../api/knative.ts';
import { type KubeObject, refKey } from '../api/kube-object.ts';
import { parseCanary } from '../api/parse-canary.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { defined } from '../base/defined.ts';
import type { Cluster, ClusterReader } from '../kube/cluster.ts';
import { workloadFor } from '../workloads/index.ts';
import { latestCreated, primaryRevision } from '../workloads/knative/revisions.ts';
import type { Workload } from '../workloads/workload.ts';
import { asRecord, getCanary } from './canary-reading.ts';
import { oldestFirst } from './event-time.ts';
import type { ScreenWatch } from './follow.ts';
import { ifReadable } from './if-readable.ts';

/** The objects of one Canary as a command read them; nothing comes from the controller. */
export interface CanarySnapshot {
  /** The object as stored. */
  raw: KubeObject;
  /** Absent if its spec cannot be read. */
  canary?: Canary;
  workload?: Workload;
  target?: KubeObject;
  primary?: KubeObject;
  /** Their pods, where they have any. */
  targetPods: readonly KubeObject[];
  primaryPods: readonly KubeObject[];
  /** ReplicaSets of both sides, if they were requested and are readable. */
  replicaSets?: readonly KubeObject[];
  /** Events of the Canary itself, oldest first. */
  events: readonly KubeObject[];
  /** Time of the read, in epoch milliseconds. Without it, lateness does not matter. */
  atMs?: number;
  /** Notes on objects that could not be read. */
  hidden: readonly string[];
}

/** Note in `hidden`: objects of this kind may exist though the snapshot has none. */
export const mayNotRead = (what: string): string => `${what} cannot be read with these credentials`;

/** A snapshot of only the Canary. */
export function snapshotOf(raw: KubeObject): CanarySnapshot {
  const parsed = parseCanary(raw);
  const bare: CanarySnapshot = { raw, targetPods: [], primaryPods: [], events: [], hidden: [] };
  if ('problems' in parsed) return bare;
  const workload = workloadFor(parsed.canary.spec.targetRef);
  return { ...bare, canary: parsed.canary, ...('unsupported' in workload ? {} : { workload }) };
}

/** Reads a Canary, its workloads, pods and events from the cluster, and the ReplicaSets of Deployments where `withReplicaSets` says so. */
export async function readSnapshot(
  cluster: ClusterReader,
  namespace: string,
  name: string,
  clock: Clock = systemClock,
  { withReplicaSets = false }: { withReplicaSets?: boolean } = {},
): Promise<CanarySnapshot> {
  const snapshot = snapshotOf(await getCanary(cluster, namespace, name));
  const { raw, canary, workload } = snapshot;
  const hidden: string[] = [];
  const ifAllowed = <T>(what: string, answer: Promise<T>, otherwise: T) =>
    ifReadable(answer, otherwise, () => hidden.push(mayNotRead(what)));
  const sides = async (): Promise<Partial<CanarySnapshot>> => {
    if (!canary || !workload) return {};
    const [targetRef, primaryRef] = [workload.targetRef(canary), workload.primaryRef(canary)];
    const target = await ifAllowed(targetRef.kind, cluster.get(targetRef), undefined);
    const primary =
      refKey(primaryRef) === refKey(targetRef) ? target : await ifAllowed(primaryRef.kind, cluster.get(primaryRef), undefined);
    const podsOf = (selector: string) => ifAllowed('pods', listPods(cluster, namespace, selector), []);
    const [ofTarget, ofPrimary] = [podSelector(target, latestCreated), podSelector(primary, primaryRevision)];
    const setsOf = (owner: KubeObject | undefined) => (withReplicaSets ? replicaSetsOf(cluster, owner) : []);
    const [targetPods, primaryPods, sets] = await Promise.all([
      podsOf(ofTarget),
      ofPrimary === ofTarget ? [] : podsOf(ofPrimary),
      // Unreadable ReplicaSets are not worth a note: pods name their owners.
      ifReadable(Promise.all([target, primary].map(setsOf)), undefined),
    ]);
    const replicaSets = withReplicaSets ? sets?.flat() : undefined;
    return { ...defined({ target, primary, replicaSets }), targetPods, primaryPods };
  };
  // Together: when one fails, the failure of the other must not be an unhandled rejection.
  const [events, seen] = await Promise.all([ifAllowed('events', eventsOf(cluster, raw), []), sides()]);
  return { ...snapshot, ...seen, events, hidden, atMs: clock.nowMs() };
}

/** Objects whose changes the screen of one Canary shows: itself, both workloads, their pods, and events. */
export function watchedByScreen({ raw, canary, workload, target, primary, replicaSets, hidden }: CanarySnapshot): ScreenWatch[] {
  const { name, namespace = '' } = raw.metadata;
  const events: ScreenWatch = {
    kind: { apiVersion: 'v1', kind: 'Event', namespace },
    selection: { fieldSelector: eventsSelector(name) },
  };
  const own = { apiVersion, kind: 'Canary', name, namespace };
  const mayRead = (what: string) => !hidden.includes(mayNotRead(what));
  const sides = canary && workload ? [workload.targetRef(canary), workload.primaryRef(canary)] : [];
  const refs = [own, ...sides.filter(({ kind }) => mayRead(kind))];
  const objects = [...new Map(refs.map((ref) => [refKey(ref), ref])).values()].map(
    (ref): ScreenWatch => ({
      kind: { apiVersion: ref.apiVersion, kind: ref.kind, ...(ref.namespace && { namespace: ref.namespace }) },
      selection: { fieldSelector: `metadata.name=${ref.name}` },
    }),
  );
  const selectors = new Set([podSelector(target, latestCreated), podSelector(primary, primaryRevision)]);
  const pods = [...selectors]
    .filter((labelSelector) => labelSelector !== '')
    .map((labelSelector): ScreenWatch => ({ kind: { apiVersion: 'v1', kind: 'Pod', namespace }, selection: { labelSelector } }));
  const sets = [target, primary]
    .filter(isDeployment)
    .map((owner): ScreenWatch => ({ kind: replicaSetsIn(namespace), selection: podsLike(owner) }));
  return [...objects, ...(mayRead('pods') ? pods : []), ...(replicaSets ? sets : []), ...(mayRead('events') ? [events] : [])];
}

const eventsSelector = (name: string): string => `involvedObject.kind=Canary,involvedObject.name=${name}`;

async function eventsOf(cluster: Pick<Cluster, 'list'>, { metadata }: KubeObject): Promise<KubeObject[]> {
  const { namespace, name, uid } = metadata;
  const fieldSelector = eventsSelector(name);
  const { items } = await cluster.list({ apiVersion: 'v1', kind: 'Event', ...(namespace && { namespace }) }, { fieldSelector });
  // Only events of this Canary, not of an earlier Canary with its name.
  const own = items.map(asEvent).filter(({ involvedObject }) => !involvedObject?.uid || involvedObject.uid === uid);
  return oldestFirst(own);
}

/** The selector of a workload of apps/v1, or the label by which Knative marks the pods of a Revision; other kinds have no selector for their pods. */
function podSelector(owner: KubeObject | undefined, revisionOf: (service: KubeObject) => string | undefined): string {
  if (owner && isKnative(owner)) {
    const revision = revisionOf(owner);
    return revision === undefined ? '' : `serving.knative.dev/revision=${revision}`;
  }
  return Object.entries(asRecord(asRecord(specOf<{ selector: unknown }>(owner).selector).matchLabels))
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}

const isDeployment = (owner: KubeObject | undefined): owner is KubeObject => owner?.kind === 'Deployment';
const replicaSetsIn = (namespace: string | undefined) => ({ apiVersion: 'apps/v1', kind: 'ReplicaSet', ...(namespace && { namespace }) });
/** ReplicaSets have the labels of their pods. */
const podsLike = (owner: KubeObject) => ({ labelSelector: podSelector(owner, () => undefined) });

/** ReplicaSets of a Deployment; other kinds have none. */
async function replicaSetsOf(cluster: Pick<Cluster, 'list'>, owner: KubeObject | undefined): Promise<KubeObject[]> {
  if (!isDeployment(owner)) return [];
  const { items } = await cluster.list(replicaSetsIn(owner.metadata.namespace), podsLike(owner));
  return items.filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === owner.metadata.uid));
}

async function listPods(cluster: Pick<Cluster, 'list'>, namespace: string, labelSelector: string): Promise<KubeObject[]> {
  if (labelSelector === '') return [];
  return (await cluster.list({ apiVersion: 'v1', kind: 'Pod', namespace }, { labelSelector })).items;
}
