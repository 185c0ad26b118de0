import type { Canary } from '../../api/canary.ts';
import type { CanaryStatus } from '../../api/canary-status.ts';
import { type KstatusCondition, kstatusOfRefusal, ready, reconciling, stalled } from '../../api/kstatus.ts';
import type { Facts } from '../../engine/facts.ts';
import { attentionOf } from './attention.ts';

/**
 * `Ready`, and `Reconciling` or `Stalled` while that is True. A release under way and any wait is Reconciling. Stalled is what no time ends: a failed release, and a spec that is refused.
 */
export function kstatusConditions(
  { spec }: Pick<Canary, 'spec'>,
  status: CanaryStatus,
  { refused, target }: Pick<Facts, 'refused' | 'target'>,
): KstatusCondition[] {
  const { phase, conditions = [], release } = status;
  if (refused !== undefined) return kstatusOfRefusal(refused);
  const message = conditions.find(({ type }) => type === 'Promoted')?.message ?? '';
  const reason = attentionOf(status) ?? phase;
  if (phase === 'Failed') return stalled(reason, message);
  if (phase !== 'Initialized' && phase !== 'Succeeded') return reconciling(reason || 'Initializing', message);
  // A suspended Canary is ready as long as nothing waits for the end of the suspension.
  const isPromoted = target?.revision === undefined || target.revision === release?.promotedRevision;
  if (spec.suspend === true) return isPromoted ? ready('Suspended', message) : reconciling('Suspended', message);
  return release?.blockers?.length ? reconciling(reason, message) : ready(phase, message);
}
