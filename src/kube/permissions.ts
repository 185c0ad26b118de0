import { type Permission, rule } from '../api/permission.ts';

/** Permissions of `eventRecorder`: a repeat raises the count of the first, and those of another replica are listed. */
export const eventPermissions: readonly Permission[] = [rule('', ['events'], ['list', 'create', 'patch'], 'events on Canaries')];

/** Shards at most: each replica looks at all of their leases, and so many divide a cluster finely enough for any number of replicas that pays. */
export const MOST_SHARDS = 16;

/** Flagger's name, so that Flagger goes on standby. */
export const LEADER_LEASE = 'flagger-leader-election';

export const shardLease = (shard: number): string => `serin-${shard}`;

/**
 * Leases of a Serin that is not divided by namespaces or selector. Always with those of all shards: replicas of another number of shards run on while
 * that number is changed, and must not lose theirs with the role.
 */
export const leaseNames: readonly string[] = [LEADER_LEASE, ...Array.from({ length: MOST_SHARDS }, (_, shard) => shardLease(shard))];

/** Permissions of `electLeader`, only in the namespace of the leases. */
export const leasePermissions: readonly Permission[] = [
  rule('coordination.k8s.io', ['leases'], ['get', 'create', 'update'], 'leader election'),
];
