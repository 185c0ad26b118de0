import { expect, it } from 'vitest';
import { aCanary } from '../../../test/fakes/world.ts';
import type { AnalysisComparison } from '../../api/comparison.ts';
import { type ComparedState, comparedStates } from './compared-state.ts';
import { count, duration, harmText, helpText, outlook, percent, stateText, waitText } from './words.ts';

const interval = (estimate: number) => ({ estimate, low: 0, high: 1 });
type Parts = Partial<ComparedState['judgement']> & Partial<ComparedState['known']>;

/** A comparison of 1,000 requests with 100,000, as `parts` has it. */
function compared(parts: Parts = {}, comparison: AnalysisComparison = {}): ComparedState {
  const { problem, plan, ...found } = parts;
  const state = comparedStates({}, aCanary({ comparison }))[comparison.latency ? 1 : 0];
  if (!state) throw new Error('nothing is compared');
  const { known, judgement, metric } = state;
  const counts = { canary: { requests: 1_000, failures: 10 }, primary: { requests: 100_000, failures: 100 } };
  return {
    metric,
    known: { ...known, evidence: { ...known.evidence, ...counts, windows: 1 }, ...(problem && { problem }), ...(plan && { plan }) },
    judgement: { ...judgement, canary: interval(0.01) as never, primary: interval(0.001) as never, ...found },
  };
}
const deciding = (
  parts: Partial<NonNullable<ComparedState['judgement']['toDecide']>>,
): NonNullable<ComparedState['judgement']['toDecide']> => ({
  ...{ seconds: 600, toward: 'fine', isInReach: true, helpfulWeight: undefined, helpfulSeconds: undefined },
  ...parts,
});
const outOfReach = { seconds: undefined, isInReach: false };
const helped = { helpfulWeight: 25, helpfulSeconds: 120 };
const bad = { verdict: 'bad', ratio: { estimate: 10, low: 4.06, high: 20 }, toDecide: undefined } as const;

it.each([
  [0, '0%'],
  [0.00612345, '0.612%'],
  [0.12345, '12.3%'],
  [0.9949, '99.5%'],
  [0.995, '99.5%'],
  [0.99912, '99.91%'],
  [1, '100%'],
])('a share of %d is %s', (share, text) => {
  expect(percent(share)).toBe(text);
});

it.each([
  [0, '1 second'],
  [1, '1 second'],
  [89, '89 seconds'],
  [90, '2 minutes'],
  [5_399, '90 minutes'],
  [5_400, '2 hours'],
  [172_799, '48 hours'],
  [172_800, '2 days'],
])('%d seconds are %s', (seconds, text) => {
  expect(duration(seconds)).toBe(text);
});

it('the rest of a duration is marked as "more", and requests have thousands separators', () => {
  expect([duration(60, 'more '), count(51_003.6)]).toEqual(['60 more seconds', '51,004']);
  for (const requests of [0, 0.4, 7, 999, 999.5, 1_000, 65_432, 100_000, 1_234_567])
    expect(count(requests)).toBe(requests.toLocaleString('en-US', { maximumFractionDigits: 0 }));
});

it.each([
  {
    of: 'errors',
    parts: bad,
    says: 'canary 1% errors (10 of 1,000), primary 0.1% (100 of 100,000): at least 4.1 times worse, certainty 99%',
  },
  {
    of: 'errors, while the primary fails',
    parts: { ...bad, isPrimaryFailing: true },
    says: 'canary 1% errors (10 of 1,000), primary 0.1% (100 of 100,000): at least 4.1 times worse, certainty 99%; the primary fails too',
  },
  {
    of: 'errors, without a bound of the ratio',
    parts: { ...bad, ratio: { ...bad.ratio, low: undefined } },
    says: 'canary 1% errors (10 of 1,000), primary 0.1% (100 of 100,000): worse than tolerated, certainty 99%',
  },
  {
    of: 'errors, with a ratio that is not above 1 for sure',
    parts: { ...bad, ratio: { ...bad.ratio, low: 1 } },
    says: 'canary 1% errors (10 of 1,000), primary 0.1% (100 of 100,000): worse than tolerated, certainty 99%',
  },
  {
    of: 'latencies',
    parts: { ...bad, plan: { primaryMs: 250, canaryMs: 500, tolerated: 2 } },
    comparison: { latency: {} },
    says: 'canary 1% of requests slower than 500 ms (10 of 1,000), primary 0.1% of requests slower than 250 ms (100 of 100,000): at least 4.1 times worse, certainty 99%',
  },
  {
    of: 'latencies without thresholds',
    parts: bad,
    comparison: { latency: {} },
    says: 'canary 1% slow requests (10 of 1,000), primary 0.1% slow requests (100 of 100,000): at least 4.1 times worse, certainty 99%',
  },
])('E123: the harm of $of names both sides', ({ parts, comparison, says }) => {
  expect(harmText(compared(parts, comparison))).toBe(says);
});

it.each([
  { of: 'a decision that is made', toDecide: undefined, says: 'decided' },
  { of: 'one in reach', toDecide: deciding({}), says: 'about 10 more minutes at this traffic' },
  { of: 'one in reach, whatever would help', toDecide: deciding(helped), says: 'about 10 more minutes at this traffic' },
  { of: 'none', toDecide: deciding(outOfReach), says: 'cannot be decided at this traffic' },
  {
    of: 'one that a larger weight brings into reach',
    toDecide: deciding({ ...helped, isInReach: false }),
    says: 'about 10 more minutes at this traffic; at 25% of the traffic about 2 minutes',
  },
])('E124: the outlook of $of', ({ toDecide, says }) => {
  expect(outlook(toDecide)).toBe(says);
  expect(stateText(compared({ toDecide }), true)).toBe(says);
  expect(waitText(compared({ toDecide }))).toBe(`errors are compared with the primary: ${says}`);
});

it.each([
  { of: 'a version that is worse', parts: bad, says: 'at least 4.1 times worse, certainty 99%' },
  {
    of: 'one that is fine',
    parts: { verdict: 'fine' as const },
    says: 'at most 1.5 times the primary, or not above 0.1%: certainty 99%',
  },
  {
    of: 'one that is fine without a floor',
    parts: { verdict: 'fine' as const },
    comparison: { errors: { atLeast: '0%' } },
    says: 'at most 1.5 times the primary: certainty 99%',
  },
  {
    of: 'one whose latencies are fine',
    parts: { verdict: 'fine' as const, plan: { primaryMs: 250, canaryMs: 500, tolerated: 2.3456 } },
    comparison: { latency: {} },
    says: 'at most 2.35 times the primary: certainty 99%',
  },
  {
    of: 'one whose latencies are fine, before their thresholds are known',
    parts: { verdict: 'fine' as const },
    comparison: { latency: { tolerate: '3x' } },
    says: 'at most 3 times the primary: certainty 99%',
  },
  { of: 'a release that ended undecided', parts: {}, says: 'no decision was reached' },
])('E126: state text of $of', ({ parts, comparison, says }) => {
  expect(stateText(compared(parts, comparison), false)).toBe(says);
});

it.each([
  { when: 'it goes on', toDecide: deciding({}), says: 'nothing to do: it goes on by itself' },
  { when: 'it is decided', toDecide: undefined, says: 'nothing to do: it goes on by itself' },
  {
    when: 'nothing helps',
    toDecide: deciding(outOfReach),
    says: 'send more requests: at this traffic no weight decides within maxStepDuration',
  },
  {
    when: 'a larger weight helps',
    toDecide: deciding({ ...helped, isInReach: false }),
    says: 'wait, or let the canary have 25% of the traffic at this step: that takes about 2 minutes',
  },
])('E124: help text when $when', ({ toDecide, says }) => {
  expect(helpText(compared({ toDecide }))).toBe(says);
});

it('E122: before the first window, and while counts cannot be read, the texts say why', () => {
  const early = compared();
  const none = { ...early, known: { ...early.known, evidence: { ...early.known.evidence, windows: 0 } } };
  const unread = { ...none, known: { ...none.known, problem: 'no answer' } };
  expect([none, unread].map((one) => stateText(one, true))).toEqual([
    'not compared yet: both sides need requests',
    'cannot be compared: no answer',
  ]);
  expect([none, unread].map(waitText)).toEqual([
    'errors are compared with the primary when both have had requests',
    'errors cannot be compared with the primary: no answer',
  ]);
  expect(helpText(unread)).toBe('restore the counts of errors: no answer');
});
