import { bounded } from '../../api/blocker.ts';
import type { Release, Verdict } from '../../api/canary-status.ts';
import type { Seen } from '../context.ts';
import { judge } from '../judge.ts';

/** Why a hook or a write was refused; empty for any other event. */
export function refusal({ event }: Seen): string {
  if (event.type !== 'ANSWER' || !('outcome' in event.answer) || event.answer.outcome !== 'refused') return '';
  return event.answer.kind === 'runHooks' ? `${event.answer.webhook}: ${event.answer.reason}` : event.answer.reason;
}

/** The webhook that refused, or what kept the primary from being written, as data. */
export function refusalData({ event }: Seen): Pick<Release, 'refusedBy' | 'refusal'> {
  if (event.type !== 'ANSWER' || !('outcome' in event.answer) || event.answer.outcome !== 'refused') return {};
  const { answer } = event;
  if (answer.kind === 'runHooks') return { refusedBy: { webhook: answer.webhook, type: answer.type, detail: answer.reason } };
  return answer.kind !== 'undo' && answer.blocker ? { refusal: bounded(answer.blocker) } : {};
}

export function judgementOf({ event }: Seen) {
  if (event.type !== 'ANSWER' || event.answer.kind !== 'measure') return undefined;
  return judge(event.answer.verdicts, event.facts.canary.spec.analysis.unmeasured);
}

export function judgement(seen: Seen): string {
  const result = judgementOf(seen);
  return result === undefined || result.outcome === 'passed' ? '' : result.reason;
}

/** What cannot be measured neither counts nor passes. */
export const isHeld = (seen: Seen): boolean => judgementOf(seen)?.outcome === 'hold';

/** The webhook that holds the release. */
export function closedGate({ event }: Seen): string | undefined {
  if (event.type !== 'ANSWER' || event.answer.kind !== 'runHooks' || event.answer.outcome !== 'refused') return undefined;
  return event.answer.webhook;
}

/** What the checks of this tick have found against the canary. */
export function decisive({ event }: Seen): readonly Verdict[] {
  if (event.type !== 'ANSWER' || event.answer.kind !== 'measure') return [];
  const decided = event.answer.verdicts.filter(({ observed, early }) => observed !== true && early !== true);
  return decided.filter(({ verdict }) => verdict !== 'passed');
}
