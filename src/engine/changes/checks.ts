import { blockerText } from '../../api/blocker-text.ts';
import { timestamp } from '../../api/timestamp.ts';
import type { Seen } from '../context.ts';
import { blindUntilMs, progressDeadlineMs } from '../deadlines.ts';
import { shortOfPods } from '../explain.ts';
import { countedFailures } from '../failure-limits.ts';
import { isTargetReady } from '../guards.ts';
import { isBlind, thresholdOf } from '../judge.ts';
import { say } from '../reasons.ts';
import { withRecent } from '../recent.ts';
import { closedGate, judgement, refusal, refusalData } from './answer.ts';
import { because, now, release, tell, who, without } from './change.ts';
import { alerting } from './terminal.ts';

/** What the answers of hooks and metrics leave behind where the release goes on. */
export const checks = {
  /** A closed gate or a refused write: again in one interval. Told once for each reason; an alert once for each gate (05-A3–A5, W5). */
  poll: (seen: Seen) => {
    const reason = refusal(seen);
    const isNews = seen.context.release.reason !== reason && reason !== '';
    const gate = closedGate(seen);
    const before = seen.context.release;
    const held = { ...(reason === '' ? before : because(before, reason, refusalData(seen))), ...(gate === undefined ? {} : { gate }) };
    const isAlert = gate !== undefined && gate !== seen.context.release.gate && gateNamed(seen, gate)?.muteAlert !== true;
    return {
      ...(isNews ? tell(seen, say(gate === undefined ? 'PrimaryRefused' : 'GateClosed', reason, { warning: true })) : {}),
      release: isAlert ? alerting(seen, held, { reason: 'GateClosed', severity: 'warn', message: gateMessage(seen, gate, reason) }) : held,
      open: undefined,
      wakeAtMs: now(seen) + seen.event.facts.intervalMs,
    };
  },
  countFailure: (seen: Seen) => {
    const { analysis } = seen.event.facts.canary.spec;
    const failedChecks = seen.context.release.failedChecks + 1;
    const reason = refusal(seen) || judgement(seen);
    const message = `Check failed (${failedChecks} of ${thresholdOf(analysis)}): ${reason}`;
    const counted = { ...because(seen.context.release, reason, refusalData(seen)), failedChecks };
    return { ...tell(seen, say('CheckFailed', message, { warning: true })), release: counted, open: undefined };
  },
  /** Told once for each reason: since when, until when, and what happens then (E22a). The last look is at the deadline. */
  hold: (seen: Seen) => {
    const { facts } = seen.event;
    const { reason: before, blindSinceMs } = seen.context.release;
    const reason = judgement(seen);
    const next = now(seen) + facts.intervalMs;
    const held = because(seen.context.release, reason);
    if (blindSinceMs === undefined) return { release: { ...held, wakeAtMs: next }, open: undefined };
    const untilMs = blindUntilMs(facts.canary, blindSinceMs);
    const message = `Holding since ${timestamp(blindSinceMs)}, nothing is counted: ${reason}; unless it can be measured by ${timestamp(untilMs)}, the release is taken back`;
    return {
      ...(before === reason ? {} : tell(seen, say('Unmeasured', message, { warning: true }))),
      release: { ...held, wakeAtMs: untilMs > now(seen) ? Math.min(next, untilMs) : next },
      open: undefined,
    };
  },
  waitForPrimary: (seen: Seen) => ({
    release: because(
      seen.context.release,
      `primary is not ready: ${seen.event.facts.primary?.readiness.reason ?? 'it has no serving pods'}`,
    ),
    open: undefined,
  }),
  /** Looked at when a check begins: since when the canary is below its threshold. The deadline of that wait counts from here (E80). */
  noteReadiness: (seen: Seen) => {
    const { awaitedSinceMs = now(seen), ...known } = seen.context.release;
    return { release: isTargetReady(seen) ? known : { ...known, awaitedSinceMs } };
  },
  waitForTarget: (seen: Seen) => {
    const { facts } = seen.event;
    const { awaitedSinceMs = now(seen) } = seen.context.release;
    const untilMs = awaitedSinceMs + progressDeadlineMs(facts.canary);
    const next = now(seen) + facts.intervalMs;
    const wakeAtMs = untilMs > now(seen) ? Math.min(next, untilMs) : next;
    return { release: { ...because(seen.context.release, shortOfPods(facts)), awaitedSinceMs, wakeAtMs }, open: undefined };
  },
  tellHoldUp: (seen: Seen) => {
    const { refused, unroutable, unconfirmed = unroutable } = seen.event.facts;
    const { release: known } = seen.context;
    // What is refused is told by every sentence as it is (E65).
    const held = refused ? without(known, 'reason') : because(known, unconfirmed ? blockerText(unconfirmed) : '');
    return { release: held, open: undefined };
  },
  checkNextInterval: (seen: Seen) => release(seen, { wakeAtMs: now(seen) + seen.event.facts.intervalMs }),
  keepVerdicts: (seen: Seen) => {
    if (seen.event.type !== 'ANSWER' || seen.event.answer.kind !== 'measure') return {};
    const { verdicts } = seen.event.answer;
    const isBlindNow = seen.event.facts.canary.spec.analysis.unmeasured === 'hold' && isBlind({ verdicts });
    const { blindSinceMs = now(seen), recent: before = {}, failures: counted = {}, ...known } = seen.context.release;
    const failures = countedFailures(counted, verdicts, seen.event.facts.canary.spec.analysis);
    return {
      release: {
        ...known,
        verdicts: [...verdicts],
        ...(verdicts.length === 0 ? {} : { recent: withRecent(before, verdicts, now(seen)) }),
        ...(Object.keys(failures).length === 0 ? {} : { failures }),
        ...(isBlindNow ? { blindSinceMs } : {}),
      },
    };
  },
  /** The pods of this revision alone answer from here on (E20a). A canary that comes back after a fall keeps its own past. */
  isolate: (seen: Seen) => ({
    release: {
      ...without(seen.context.release, 'awaitedSinceMs'),
      measuredFromMs: seen.context.release.measuredFromMs ?? now(seen),
    },
  }),
  passPreRollout: (seen: Seen) => release(seen, { preRolloutPassed: true }),
};

function gateNamed({ event }: Seen, gate: string) {
  return event.facts.canary.spec.analysis.webhooks?.find(({ name, type }) => name === gate && type?.startsWith('confirm-'));
}

function gateMessage(seen: Seen, gate: string, reason: string): string {
  const type = gateNamed(seen, gate)?.type;
  const what = type === 'confirm-rollout' ? 'its start' : type === 'confirm-promotion' ? 'its promotion' : 'more traffic';
  return `${who(seen)} waits for approval of ${what}: ${reason}`;
}
