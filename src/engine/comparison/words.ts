import type { Interval } from '../../judge/judge-comparison.ts';
import type { Counts } from '../../judge/window.ts';
import type { ComparedState } from './compared-state.ts';

/** A share as percent with three digits: `0.61%`. */
export function percent(share: number): string {
  const value = share * 100;
  if (value === 0) return '0%';
  return `${Number(value.toPrecision(value >= 99.5 ? 4 : 3))}%`;
}

/** A number of requests: `51,004`. `toLocaleString` would load 7 MB at its first use. */
export function count(requests: number): string {
  const digits = String(Math.round(requests));
  const groups = [digits.slice(0, digits.length % 3), ...(digits.slice(digits.length % 3).match(/\d{3}/g) ?? [])];
  return groups.filter((group) => group !== '').join(',');
}

/** Share with its counts: `0.61% (312 of 51,004)`. */
export function shareText({ estimate }: Interval, { requests, failures }: Counts): string {
  return `${percent(estimate)} (${count(failures)} of ${count(requests)})`;
}

/** Requests that count as bad: `errors`, or `slower than 250 ms`. */
export function badOf({ metric, known: { plan } }: ComparedState, side: 'canary' | 'primary'): string {
  if (metric.latency === undefined) return metric.name;
  return plan ? `of requests slower than ${side === 'canary' ? plan.canaryMs : plan.primaryMs} ms` : 'slow requests';
}

/** `canary 0.612% errors (312 of 51,004), primary 0.05% (229 of 458,120): at least 4.1 times worse, certainty 99%`. */
export function harmText(state: ComparedState): string {
  const { judgement, known } = state;
  const { canary, primary } = known.evidence;
  const counted = (side: Counts) => `(${count(side.failures)} of ${count(side.requests)})`;
  const sides = `canary ${percent(judgement.canary.estimate)} ${badOf(state, 'canary')} ${counted(canary)}, primary ${percent(judgement.primary.estimate)}${state.metric.latency ? ` ${badOf(state, 'primary')}` : ''} ${counted(primary)}`;
  const failing = judgement.isPrimaryFailing ? '; the primary fails too' : '';
  return `${sides}: ${worseText(state)}${failing}`;
}

/** `at least 4.1 times worse, certainty 99%`. */
function worseText({ judgement: { ratio }, metric: { comparison } }: ComparedState): string {
  const worse =
    ratio.low === undefined || ratio.low <= 1 ? 'worse than tolerated' : `at least ${Number(ratio.low.toPrecision(2))} times worse`;
  return `${worse}, certainty ${percent(1 - comparison.falseAlarm)}`;
}

/** Short state of a metric: its result, or the time until a decision. For a release that has ended, that no decision was reached. */
export function stateText(state: ComparedState, isRunning: boolean): string {
  const { known, judgement, metric } = state;
  const { comparison, latency } = metric;
  if (known.evidence.windows === 0)
    return known.problem === undefined ? 'not compared yet: both sides need requests' : `cannot be compared: ${known.problem}`;
  switch (judgement.verdict) {
    case 'bad':
      return worseText(state);
    case 'fine': {
      const factor = Number((latency ? (known.plan?.tolerated ?? latency.tolerate) : comparison.tolerate).toPrecision(3));
      const floor = comparison.atLeast === 0 ? '' : `, or not above ${percent(comparison.atLeast)}`;
      return `at most ${factor} times the primary${floor}: certainty ${percent(1 - comparison.falseAlarm)}`;
    }
    case 'undecided':
      return isRunning ? outlook(judgement.toDecide) : 'no decision was reached';
  }
}

/** `errors are compared: no decision yet, about 6 more minutes at this traffic`. */
export function waitText(state: ComparedState): string {
  const { known, judgement, metric } = state;
  if (known.problem !== undefined) return `${metric.name} cannot be compared with the primary: ${known.problem}`;
  if (known.evidence.windows === 0) return `${metric.name} are compared with the primary when both have had requests`;
  return `${metric.name} are compared with the primary: ${outlook(judgement.toDecide)}`;
}

/** Remaining time until a decision, and a change that would shorten it. */
export function outlook(toDecide: ComparedState['judgement']['toDecide']): string {
  if (toDecide === undefined) return 'decided';
  const { seconds, isInReach, helpfulWeight, helpfulSeconds } = toDecide;
  const now = seconds === undefined ? 'cannot be decided at this traffic' : `about ${duration(seconds, 'more ')} at this traffic`;
  if (isInReach || helpfulWeight === undefined || helpfulSeconds === undefined) return now;
  return `${now}; at ${helpfulWeight}% of the traffic about ${duration(helpfulSeconds)}`;
}

/** Change that makes an undecided comparison faster. */
export function helpText({ known, judgement, metric }: ComparedState): string {
  if (known.problem !== undefined) return `restore the counts of ${metric.name}: ${known.problem}`;
  const { helpfulWeight: weight, helpfulSeconds: seconds, isInReach = true } = judgement.toDecide ?? {};
  if (weight === undefined || seconds === undefined)
    return isInReach
      ? 'nothing to do: it goes on by itself'
      : 'send more requests: at this traffic no weight decides within maxStepDuration';
  return `wait, or let the canary have ${weight}% of the traffic at this step: that takes about ${duration(seconds)}`;
}

/** A time in everyday words: `40 seconds`, `6 minutes`, `4 hours`. */
export function duration(seconds: number, more = ''): string {
  const [value, unit] =
    seconds < 90
      ? [seconds, 'second']
      : seconds < 5400
        ? [seconds / 60, 'minute']
        : seconds < 172_800
          ? [seconds / 3600, 'hour']
          : [seconds / 86_400, 'day'];
  const whole = Math.max(1, Math.round(value));
  return `${whole} ${more}${unit}${whole === 1 ? '' : 's'}`;
}
