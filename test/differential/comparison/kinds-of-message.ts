import { type Entry, ofKind, type Side } from '../recording/recording.ts';

/**
 * Kinds of events and alerts, by the reasons that Serin gives them. Flagger gives every event the reason `Synced`: its kind is known by its text.
 */
const FLAGGER_TEXTS: readonly (readonly [RegExp, string])[] = [
  [/all the metrics providers are available/, 'MetricsOnline'],
  [/Error checking metric providers/, 'MetricsUnavailable'],
  [/[Ii]nitialization (done|completed)/, 'Initialized'],
  [/New revision detected! Restarting/, 'Superseded'],
  [/New revision detected/, 'NewRevision'],
  [/Starting canary analysis/, 'AnalysisStarted'],
  [/waiting for (.* )?approval/, 'GateClosed'],
  [/(Confirm-\S+|Pre-rollout|Post-rollout) check \S+ passed/, 'HookPassed'],
  [/Rollback check \S+ passed/, 'HookPassed'],
  [/Rollback hook \S+ not signaling/, 'RollbackNotAsked'],
  [/Post-rollout hook \S+ failed/, 'HookFailed'],
  [/^Halt |query failed/, 'CheckFailed'],
  [/Advance \S+ primary weight/, 'TrafficShifted'],
  [/Advance \S+ canary weight/, 'WeightAdvanced'],
  [/Advance \S+ canary iteration/, 'IterationAdvanced'],
  [/Copying \S+ template spec/, 'Promoting'],
  [/Routing all traffic to primary/, 'TrafficShifted'],
  [/[Rr]out(e|ing) all traffic to canary/, 'RoutedToCanary'],
  [/Promotion of \S+ failed|Promotion failed/, 'PromotionFailed'],
  [/Promotion completed|promotion finished/, 'Succeeded'],
  [/Failed checks threshold reached|failed checks threshold reached|manual webhook invoked|[Pp]rogress deadline exceeded/, 'Failed'],
  [/Canary failed!/, 'Failed'],
  [/not supported when using the kubernetes provider|Setting canaryAnalysis\.iterations/, 'StrategyChanged'],
  [/not ready|waiting for rollout/, 'NotReady'],
];

function kindOfText(text: string): string {
  return FLAGGER_TEXTS.find(([pattern]) => pattern.test(text))?.[1] ?? `unknown: ${text}`;
}

/** The kinds of events of one side, each with its type. */
export function eventKinds(side: Side, entries: readonly Entry[]): string[] {
  const kinds = ofKind(entries, 'event').map(({ type, reason, message }) => `${type} ${side === 'flagger' ? kindOfText(message) : reason}`);
  return [...new Set(kinds)].sort();
}

/** Alerts in order: colour and kind. Serin lists each in status with its reason before it sends it. */
export function alertKinds(side: Side, entries: readonly Entry[]): string[] {
  const reasons = new Map(ofKind(entries, 'listed').map(({ message, reason }) => [message, reason]));
  return ofKind(entries, 'alert').map(({ payload }) => {
    const [{ color, text } = { color: '', text: '' }] = payload.attachments as { color: string; text: string }[];
    return `${color} ${side === 'flagger' ? kindOfText(text) : (reasons.get(text) ?? 'unknown')}`;
  });
}
