import { bounded } from '../../api/blocker.ts';
import type { Release, Verdict } from '../../api/canary-status.ts';
import { oncePerObject } from '../../base/once.ts';
import { isGate } from '../comparison/compared-metrics.ts';
import { withCompared } from '../comparison/compared-so-far.ts';
import { hasFailed } from '../conditions/failing.ts';
import type { Input } from '../context.ts';
import type { Facts } from '../facts.ts';
import { failingOf } from '../failing.ts';
import { isGateType } from '../hook-refusal.ts';
import { judgeChecks, judgementOfChecks } from '../judge-checks.ts';
import type { Answer } from '../questions.ts';

/** Reason for which a hook or a write was refused; empty for any other event. */
export function refusalReason({ event }: Input): string {
  if (event.type !== 'ANSWER' || !('outcome' in event.answer) || event.answer.outcome !== 'refused') return '';
  return event.answer.kind === 'runHooks' ? `${event.answer.webhook}: ${event.answer.reason}` : event.answer.reason;
}

/** The webhook that refused, or the blocker of the write to the primary, as data. */
export function refusalData({ event }: Input): Pick<Release, 'refusedBy' | 'refusal'> {
  if (event.type !== 'ANSWER' || !('outcome' in event.answer) || event.answer.outcome !== 'refused') return {};
  const { answer } = event;
  if (answer.kind === 'runHooks') {
    const { webhook, type, reason: detail, isUnanswered } = answer;
    return { refusedBy: { webhook, type, detail, ...(isUnanswered && { isUnanswered }) } };
  }
  return 'blocker' in answer && answer.blocker ? { refusal: bounded(answer.blocker) } : {};
}

/** The release with the counts of both sides from an answer (E122). */
export const comparedIn = ({ context, event }: Input): Release =>
  event.type === 'ANSWER' ? comparedBy(event.facts)(event.answer)(context.release) : context.release;

/** Counts are added once: the deciding rules and the record of the check use the same release. */
const comparedBy = oncePerObject((facts: Facts) =>
  oncePerObject((answer: Answer) =>
    oncePerObject((release: Release) => {
      if (!('compared' in answer)) return release;
      const { kind, compared = [] } = answer;
      const isPoll = kind === 'compare' && isGate(facts.canary.spec.analysis);
      return withCompared(release, compared, { ...facts, isPoll });
    }),
  ),
);

export function judgementOf({ event }: Input) {
  if (event.type !== 'ANSWER' || event.answer.kind !== 'measure') return undefined;
  return judgementOfChecks(event.answer.verdicts, event.facts.canary.spec.analysis.unmeasured);
}

export function judgementReason(input: Input): string {
  const result = judgementOf(input);
  return result === undefined || result.outcome === 'passed' ? '' : result.reason;
}

/** All failures in this interval, the canary's own first. */
export function failedReason(input: Input): string {
  const own = hasFailed(input) ? failingOf(input.context.release, input.event.facts) : '';
  return [own, refusalReason(input) || judgementReason(input)].filter((one) => one !== '').join('; ');
}

/** A check that cannot be measured neither counts nor passes. */
export const isHeld = (input: Input): boolean => judgementOf(input)?.outcome === 'hold';

/** The webhook that holds the release. */
export function closedGate({ event }: Input): string | undefined {
  if (event.type !== 'ANSWER' || event.answer.kind !== 'runHooks' || event.answer.outcome !== 'refused') return undefined;
  return event.answer.webhook;
}

/** The answer of a gate, which judges no version. */
export const isOfGate = ({ event }: Input): boolean =>
  event.type === 'ANSWER' && event.answer.kind === 'runHooks' && isGateType(event.answer.type);

/** Checks of this interval that did not pass. */
export function decisive({ event }: Input): readonly Verdict[] {
  return event.type === 'ANSWER' && event.answer.kind === 'measure' ? judgeChecks(event.answer.verdicts).decisive : [];
}
