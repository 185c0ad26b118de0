import { asLease } from '../api/kinds/lease.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { fieldManager } from '../api/names.ts';
import { parseStatus } from '../api/parse-status.ts';
import { defined } from '../base/defined.ts';
import { timestamp } from '../base/timestamp.ts';
import type { Cluster } from '../kube/cluster.ts';
import { holderOf, leaseRef, leaseSpecOf } from '../kube/lease-record.ts';
import { LEADER_LEASE, shardLease } from '../kube/permissions.ts';
import { shardsOfGroup } from '../kube/shards/shard-keeper.ts';
import { shardOf } from '../kube/shards/shard-of.ts';
import type { ControllerReport } from './documents/canary-documents.ts';
import { ifReadable } from './if-readable.ts';

const LEASES = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' };
/** Lease of a Serin with a slice of the Canaries: a digest of `--namespaces` and `--canary-selector`, which only its replicas know. */
const SLICE_LEASE = /^serin-[0-9a-f]{10}$/;
/** One Lease for each node, and none of a controller. */
const BUT_OF_NODES = 'metadata.namespace!=kube-node-lease';

/** The Lease under which one Serin looks after the Canary. */
interface Found {
  namespace: string;
  name: string;
  /** `undefined` if it does not exist. */
  lease: KubeObject | undefined;
  shard?: number;
  shards?: number;
}

export interface InCharge {
  /** Absent if no Lease names a controller, for example without leader election. */
  controller?: ControllerReport;
  /** The user has no right to read Leases. */
  isHidden: boolean;
}

/** Which replica looks after the Canary, or that none does, as the Leases of the cluster say. */
export async function inCharge(cluster: Pick<Cluster, 'get' | 'list'>, canary: KubeObject, nowMs: number): Promise<InCharge> {
  let isHidden = false;
  const ifAllowed = <T>(answer: Promise<T>, otherwise: T) =>
    ifReadable(answer, otherwise, () => {
      isHidden = true;
    });
  const listed = async (fieldSelector: string) => {
    const { items } = await ifAllowed(cluster.list(LEASES, { fieldSelector }), { items: [], resourceVersion: '' });
    return items.map(asLease);
  };
  const leaders = await listed(`metadata.name=${LEADER_LEASE}`);
  // A Lease without a holder can be left over from another controller.
  const areEnough = isHidden || leaders.some((lease) => holderOf(lease) !== '' && endOf(lease) >= nowMs);
  const slices = areEnough ? [] : (await listed(BUT_OF_NODES)).filter(({ metadata: { name } }) => SLICE_LEASE.test(name));
  const found = await Promise.all([...leaders, ...slices].map((lease) => ifAllowed(leaseOf(cluster, lease, canary), undefined)));
  const readable = found.filter((one) => one !== undefined);
  const chosen = chooseFor(canary, readable);
  const controller = chosen && !isHidden ? reportOf(chosen, canary, nowMs) : undefined;
  return { isHidden, ...(controller && { controller }) };
}

/** `lease`: held by one replica, or by all with one number of shards, whose Leases then say more. */
async function leaseOf(cluster: Pick<Cluster, 'get'>, lease: KubeObject, { metadata }: KubeObject): Promise<Found> {
  const { name, namespace = '' } = lease.metadata;
  const shards = shardsOfGroup(holderOf(lease));
  if (shards === undefined) return { namespace, name, lease };
  const shard = shardOf(metadata, shards);
  const ref = leaseRef(namespace, name === LEADER_LEASE ? shardLease(shard) : `${name}-${shard}`);
  return { namespace, name: ref.name, lease: await cluster.get(ref), shard, shards };
}

/** Chooses among several Serins in a cluster: the Serin of the Canary's namespace, the only one, or the writer of its status. */
function chooseFor({ metadata, status }: KubeObject, found: readonly Found[]): Found | undefined {
  const writer = parseStatus(status)?.release?.writer;
  const own = found.find(({ namespace }) => namespace === metadata.namespace);
  return own ?? (found.length === 1 ? found[0] : found.find(({ lease }) => writer !== undefined && holderOf(lease) === writer));
}

function reportOf({ namespace, name, lease, shard, shards }: Found, canary: KubeObject, nowMs: number): ControllerReport | undefined {
  const ref = { lease: { kind: 'Lease', namespace, name }, ...defined({ shard, shards }) };
  if (lease === undefined) return { held: false, ...ref, look: `kubectl get lease -n ${namespace}` };
  const renewedMs = Date.parse(leaseSpecOf(lease).renewTime ?? '');
  const endMs = endOf(lease);
  const holder = holderOf(lease);
  const pod = holder === '' ? undefined : podOf(holder);
  const renewed = Number.isNaN(renewedMs) ? {} : { renewed: timestamp(renewedMs) };
  if (holder !== '' && endMs >= nowMs)
    return { held: true, ...defined({ pod }), ...ref, ...renewed, ageSeconds: Math.max(0, Math.round((nowMs - renewedMs) / 1_000)) };
  // A Lease from before leader election was switched off.
  if (isWrittenAfter(canary, endMs)) return undefined;
  const since = Number.isNaN(endMs) ? {} : { since: timestamp(endMs) };
  return { held: false, ...defined({ pod }), ...ref, ...renewed, ...since, look: `kubectl describe lease ${name} -n ${namespace}` };
}

/** When it was released, or when its time is over without another renewal. Epoch milliseconds; NaN where it says no time. */
function endOf(lease: KubeObject): number {
  const { renewTime = '', leaseDurationSeconds = 0 } = leaseSpecOf(lease);
  return Date.parse(renewTime) + (holderOf(lease) === '' ? 0 : leaseDurationSeconds * 1_000);
}

/** The identity of a process is its host name, which is the name of its pod, and a number of its own. */
const podOf = (identity: string): string => identity.replace(/_[^_]*$/, '');

/** Times of managed fields have no fraction. */
function isWrittenAfter({ metadata: { managedFields } }: KubeObject, ms: number): boolean {
  const fields = Array.isArray(managedFields) ? (managedFields as { manager?: string; time?: string }[]) : [];
  return fields.some(({ manager, time }) => manager === fieldManager && Date.parse(time ?? '') > ms);
}

/** The report without the times of renewals, which change nothing in a live view. */
export function withoutTimes({ renewed: _renewed, ageSeconds: _age, ...report }: ControllerReport): ControllerReport {
  return report;
}

/** Copied commands must reach the cluster that was read, and no other. */
export function withFlags(controller: ControllerReport, flags: readonly string[]): ControllerReport {
  return { ...controller, ...(controller.look !== undefined && { look: [controller.look, ...flags].join(' ') }) };
}
