import { blockerText } from '../../api/blocker-text.ts';
import type { Release } from '../../api/canary-status.ts';
import { remedyOf } from '../../api/codes/codes.ts';
import { defined } from '../../base/defined.ts';
import { timestamp } from '../../base/timestamp.ts';
import { comparedState } from '../comparison/compared-state.ts';
import { awaitedEvidence } from '../comparison/harm.ts';
import { withNews } from '../comparison/news.ts';
import { waitText } from '../comparison/words.ts';
import { closedGateIn } from '../conditions/gates.ts';
import { isContested, isMisled, isUnderContest } from '../conditions/hold-ups.ts';
import { isTargetReady } from '../conditions/sides.ts';
import type { Input } from '../context.ts';
import { progressDeadlineMs, unmeasuredUntilMs } from '../deadlines.ts';
import { counted, failingOf, passedInterval, withJudgedFailures } from '../failing.ts';
import { countedFailures } from '../failure-limits.ts';
import { gateUntilMs } from '../gate-limit.ts';
import { urlField } from '../hook-refusal.ts';
import { isUnmeasured, thresholdOf, unmeasuredRemedy } from '../judge-checks.ts';
import { say } from '../reasons.ts';
import { withRecent } from '../recent.ts';
import { shortOfPods } from '../states/words.ts';
import { closedGate, comparedIn, decisive, failedReason, judgementReason, refusalData, refusalReason } from './answer.ts';
import { announce, because, now, release, who, without } from './change.ts';
import { withAlert } from './listed-messages.ts';

/** Answers of hooks and metrics after which the release continues. */
export const checks = {
  /** A closed gate or a refused write: repeated after one interval, and a gate at the end of its time (E145). Announced once for each reason; an alert is sent once for each gate. */
  poll: (input: Input) => {
    const reason = refusalReason(input);
    const isNews = input.context.release.reason !== reason && reason !== '';
    const gate = closedGate(input);
    const before = input.context.release;
    const said = reason === '' ? before : because(before, reason, refusalData(input));
    const gateClosed = closedGateIn(input);
    const held = { ...without(said, 'gateClosed'), ...(gate === undefined ? {} : { gate }), ...(gateClosed && { gateClosed }) };
    const next = now(input) + input.event.facts.intervalMs;
    const untilMs = gateUntilMs(input.event.facts.canary, held) ?? next;
    const isAlert = gate !== undefined && gate !== input.context.release.gate && gateNamed(input, gate)?.muteAlert !== true;
    return {
      ...(isNews ? announce(input, sayHeld(input, held, reason)) : {}),
      release: isAlert
        ? withAlert(input, held, {
            reason: 'GateClosed',
            severity: 'warn',
            message: gateMessage(input, gate, reason, held.refusedBy?.isUnanswered),
            gate: typedGate(input, gate),
          })
        : held,
      open: undefined,
      // The last call is at the end of its time.
      wakeAtMs: untilMs > now(input) ? Math.min(next, untilMs) : next,
    };
  },
  countFailure: (input: Input) => {
    const reason = failedReason(input);
    const failed = { ...because(input.context.release, reason, refusalData(input)), failedChecks: input.context.release.failedChecks + 1 };
    return { ...checkFailed(input, reason), release: withJudgedFailures(failed, input.event.facts), open: undefined, ...contestOf(input) };
  },
  /** Between two checks, when the canary has failed by itself (E27a). */
  countFailing: (input: Input) => {
    const { facts } = input.event;
    const { release: known } = input.context;
    const reason = failingOf(known, facts);
    return { ...checkFailed(input, reason), release: counted({ ...because(known, reason), failedChecks: known.failedChecks + 1 }, facts) };
  },
  /** Announced once for each reason, with its start, its time limit and the result then (E22a). The last check is at the deadline. */
  hold: (input: Input) => {
    const { facts } = input.event;
    const { reason: before, blindSinceMs } = input.context.release;
    const reason = judgementReason(input);
    const next = now(input) + facts.intervalMs;
    const held = because(input.context.release, reason);
    if (blindSinceMs === undefined) return { release: { ...held, wakeAtMs: next }, open: undefined };
    const untilMs = unmeasuredUntilMs(facts.canary, blindSinceMs);
    const message = `Holding since ${timestamp(blindSinceMs)}, nothing is counted: ${reason}; ${remedyIn(input)}; unless it can be measured by ${timestamp(untilMs)}, the release is rolled back`;
    return {
      ...(before === reason ? {} : announce(input, say('Unmeasured', message, { warning: true }))),
      release: { ...held, wakeAtMs: untilMs > now(input) ? Math.min(next, untilMs) : next },
      open: undefined,
    };
  },
  waitForPrimary: (input: Input) => ({
    release: because(
      input.context.release,
      `primary is not ready: ${input.event.facts.primary?.readiness.reason ?? 'it has no serving pods'}`,
    ),
    open: undefined,
  }),
  /** Recorded at the start of a check: the time since which the canary is below its threshold. The deadline of that wait counts from here (E80). */
  noteReadiness: (input: Input) => {
    const { awaitedSinceMs = now(input), ...known } = input.context.release;
    return { release: isTargetReady(input) ? known : { ...known, awaitedSinceMs } };
  },
  waitForTarget: (input: Input) => {
    const { facts } = input.event;
    const { awaitedSinceMs = now(input) } = input.context.release;
    const untilMs = awaitedSinceMs + progressDeadlineMs(facts.canary);
    const next = now(input) + facts.intervalMs;
    const wakeAtMs = untilMs > now(input) ? Math.min(next, untilMs) : next;
    return { release: { ...because(input.context.release, shortOfPods(facts)), awaitedSinceMs, wakeAtMs }, open: undefined };
  },
  /** Shown only in the condition: an event in each interval would be noise. */
  noteEvidence: (input: Input) => {
    const { release: known } = input.context;
    const metric = awaitedEvidence(known, input.event.facts.canary, now(input));
    const waiting = metric && { ...because(known, waitText(comparedState(known, metric))), awaitedEvidence: metric.name };
    return { release: waiting ?? known, open: undefined };
  },
  noteHoldUp: (input: Input) => {
    const { refused, unroutable, unconfirmed = unroutable } = input.event.facts;
    const { release: known } = input.context;
    // Every sentence names the refused edit (E65). A check that contested routes made unmeasurable does not count as unmeasured.
    const seeing = isUnderContest(input) ? without(known, 'blindSinceMs') : known;
    const held = refused ? without(seeing, 'reason') : because(seeing, unconfirmed ? blockerText(unconfirmed) : '');
    return { release: held, open: undefined, ...contestOf(input) };
  },
  /** The interval does not count (E63a). */
  holdContest: (input: Input) => ({ contest: 'held' as const, misled: misledOf(input) }),
  /** Recorded at the start of a check: the routes were contested in this interval (E63a). */
  noteContest: (input: Input) => ({ contest: isUnderContest(input) ? ('asked' as const) : undefined, misled: misledOf(input) }),
  checkNextInterval: (input: Input) => release(input, { wakeAtMs: now(input) + input.event.facts.intervalMs }),
  keepVerdicts: (input: Input) => {
    if (input.event.type !== 'ANSWER' || input.event.answer.kind !== 'measure') return {};
    const { verdicts } = input.event.answer;
    const isBlindNow = input.event.facts.canary.spec.analysis.unmeasured === 'hold' && isUnmeasured({ verdicts });
    const { release: compared, ...news } = withNews(input, comparedIn(input));
    const { blindSinceMs = now(input), recent: before = {}, failures: counted = {}, awaitedEvidence: _, ...kept } = compared;
    const known = passedInterval(kept, input.event.facts);
    const { misled } = input.context;
    const failures = misled === undefined ? countedFailures(counted, verdicts, input.event.facts.canary.spec.analysis) : counted;
    return {
      ...news,
      release: {
        ...known,
        verdicts: [...verdicts],
        ...(verdicts.length === 0 ? {} : { recent: withRecent(before, verdicts, now(input)) }),
        ...(Object.keys(failures).length === 0 ? {} : { failures }),
        ...(isBlindNow ? { blindSinceMs } : {}),
      },
    };
  },
  /** From now on only pods of this revision answer (E20a). A canary that recovers keeps its own past. */
  isolate: (input: Input) => ({
    release: {
      ...without(input.context.release, 'awaitedSinceMs'),
      measuredFromMs: input.context.release.measuredFromMs ?? now(input),
    },
  }),
  passPreRollout: (input: Input) => release(input, { preRolloutPassed: true }),
};

/** At the start of an interval. */
const contestOf = (input: Input) => ({
  contest: isContested(input) ? ('held' as const) : undefined,
  misled: isMisled(input) ? (true as const) : undefined,
});

/** Within an interval: once misled, it stays misled. */
const misledOf = (input: Input): true | undefined => (isMisled(input) ? true : input.context.misled);

function checkFailed(input: Input, reason: string) {
  const { failedChecks } = input.context.release;
  const message = `Check failed (${failedChecks + 1} of ${thresholdOf(input.event.facts.canary.spec.analysis)}): ${reason}`;
  // A measured failure has the remedy of its version.
  const remedy = decisive(input).every(({ verdict }) => verdict === 'unmeasured') ? remedyIn(input) : undefined;
  return announce(input, say('CheckFailed', remedy === undefined ? message : `${message}; ${remedy}`, { warning: true }));
}

const remedyIn = (input: Input): string | undefined => unmeasuredRemedy({ verdicts: decisive(input) });

/** A closed gate, a gate without an answer, or a refused write of the primary. */
function sayHeld(input: Input, { refusedBy }: Release, reason: string) {
  if (closedGate(input) === undefined) return say('PrimaryRejected', reason, { warning: true });
  if (refusedBy?.isUnanswered !== true) return say('GateClosed', reason, { warning: true });
  const field = urlField(input.event.facts.canary.spec.analysis.webhooks, refusedBy);
  const remedy = remedyOf('WebhookUnreachable', defined({ webhook: refusedBy.webhook, field }));
  return say('WebhookUnreachable', `${reason}; ${remedy}`, { warning: true });
}

function gateNamed({ event }: Input, gate: string) {
  return event.facts.canary.spec.analysis.webhooks?.find(({ name, type }) => name === gate && type?.startsWith('confirm-'));
}

function typedGate(input: Input, webhook: string) {
  return { webhook, type: gateNamed(input, webhook)?.type ?? '' };
}

function gateMessage(input: Input, gate: string, reason: string, isUnanswered = false): string {
  const type = gateNamed(input, gate)?.type;
  const what = type === 'confirm-rollout' ? 'its start' : type === 'confirm-promotion' ? 'its promotion' : 'more traffic';
  return `${who(input)} waits for ${isUnanswered ? `its gate ${gate}, which cannot be reached, before ${what}` : `approval of ${what}`}: ${reason}`;
}
