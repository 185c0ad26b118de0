import type { CanaryStatus } from '../../api/canary-status.ts';
import { endingOf } from '../../api/ending.ts';

/**
 * `status.reason`, which `kubectl get` shows: why the spec is refused, or else why the release waits, or else why it failed. Undefined if nothing needs attention.
 * It is derived whenever a status is written, and is never a reason to write one (I8).
 */
export function attentionOf({
  phase,
  conditions = [],
  release,
}: Pick<CanaryStatus, 'phase' | 'conditions' | 'release'>): string | undefined {
  const refused = conditions.find(({ type, status }) => type === 'Accepted' && status === 'False');
  if (refused !== undefined) return refused.reason;
  const [blocker] = release?.blockers ?? [];
  if (blocker !== undefined) return blocker.cause ?? blocker.code;
  const ending = phase === 'Failed' && release !== undefined ? endingOf(phase, release) : undefined;
  return ending?.cause ?? ending?.code;
}
