import type { ControllerConfig } from '../controller/config.ts';
import { LEADER_LEASE, shardLease } from '../kube/permissions.ts';
import { digest } from '../workloads/digest.ts';

type LeaseScope = Pick<ControllerConfig, 'namespaces' | 'canarySelector'>;

/** Namespace of the lease: the only watched namespace, because permissions can be limited to it. */
export function leaseNamespace({
  namespaces,
  leaderElectionNamespace,
}: Pick<ControllerConfig, 'namespaces' | 'leaderElectionNamespace'>): string {
  return namespaces.length === 1 ? (namespaces[0] ?? '') : leaderElectionNamespace;
}

/** Flagger's name, so that Flagger goes on standby; one of its own for each slice, whose leaders do not replace each other. */
export function leaseName(scope: LeaseScope): string {
  return isSlice(scope) ? sliceName(scope) : LEADER_LEASE;
}

/** Lease of a shard, beside the lease of `leaseName`, which all replicas with this number of shards hold together. */
export function shardLeaseName(scope: LeaseScope, shard: number): string {
  return isSlice(scope) ? `${sliceName(scope)}-${shard}` : shardLease(shard);
}

const isSlice = ({ namespaces, canarySelector }: LeaseScope): boolean => canarySelector !== '' || namespaces.length > 1;

const sliceName = ({ namespaces, canarySelector }: LeaseScope): string =>
  `serin-${digest({ namespaces: namespaces.toSorted(), canarySelector }).slice(0, 10)}`;
