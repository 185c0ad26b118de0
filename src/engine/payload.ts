import type { HookType } from '../api/canary.ts';
import type { Release } from '../api/canary-status.ts';
import type { Phase } from '../api/phase.ts';

/** Types whose payload says the phase as it is; Flagger says Progressing to all others, also while a promotion waits (E84). */
const TOLD_THE_PHASE: ReadonlySet<HookType> = new Set<HookType>(['confirm-rollout', 'rollback']);

/** Fields of a webhook's payload that describe the release (02-8). */
export function payloadOf(type: HookType, phase: Phase, release: Release): { phase: Phase; checksum: string } {
  return { phase: TOLD_THE_PHASE.has(type) ? phase : 'Progressing', checksum: checksumOf(type, phase, release) };
}

/**
 * The revision that was applied last, as Flagger has it: before the start is confirmed that is the one before, except after a failure, where
 * Flagger has already noted the new one.
 */
function checksumOf(type: HookType, phase: Phase, { revision, promotedRevision = revision }: Release): string {
  return type === 'confirm-rollout' && phase !== 'Failed' ? promotedRevision : revision;
}
