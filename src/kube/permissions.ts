import type { Permission } from '../api/permission.ts';

/** Permissions of `eventRecorder`: a repeat raises the count of the first, which is read when another replica wrote it. */
export const eventPermissions: readonly Permission[] = [
  { group: '', resources: ['events'], verbs: ['get', 'create', 'patch'], purpose: 'events on Canaries' },
];

/** Permissions of `electLeader`, in the namespace of the lease alone. */
export const leasePermissions: readonly Permission[] = [
  { group: 'coordination.k8s.io', resources: ['leases'], verbs: ['get', 'create', 'update'], purpose: 'leader election' },
];
