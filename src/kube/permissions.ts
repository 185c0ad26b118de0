import { type Permission, rule } from '../api/permission.ts';

/** Permissions of `eventRecorder`: a repeat raises the count of the first, which is read when another replica wrote it. */
export const eventPermissions: readonly Permission[] = [rule('', ['events'], ['get', 'create', 'patch'], 'events on Canaries')];

/** Permissions of `electLeader`, in the namespace of the lease alone. */
export const leasePermissions: readonly Permission[] = [
  rule('coordination.k8s.io', ['leases'], ['get', 'create', 'update'], 'leader election'),
];
