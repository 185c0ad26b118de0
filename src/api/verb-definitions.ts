/**
 * Requests to a Canary: the help of each command, and the verb on `canaries` that RBAC grants for it. A user who is allowed to hold a release is also allowed to
 * let it go on; a request that starts a release without a manual promotion needs the right to promote.
 */
export const verbDefinitions = {
  promote: { does: 'skip the rest of the analysis and promote, or approve the gate that the release waits for', takes: 'promote' },
  rollback: { does: 'roll the release back: route all traffic to the primary', takes: 'rollback' },
  pause: { does: 'pause the release at its current weight until it is resumed', takes: 'pause' },
  resume: { does: 'resume a paused release', takes: 'pause' },
  retry: { does: 'release the failed revision again', takes: 'promote' },
  undo: { does: 'return to the revision before the last promotion', takes: 'promote' },
  restart: { does: 'restart the pods of the primary, without an analysis', takes: 'promote' },
} as const;
