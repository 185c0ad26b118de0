import { type Comparison, defaultComparison } from '../../src/judge/comparison.ts';
import { addWindow, type Evidence, learnScatter, noEvidence } from '../../src/judge/evidence.ts';
import { weigh } from '../../src/judge/judge-comparison.ts';
import type { Counts, Window } from '../../src/judge/window.ts';
import { mannWhitneyInterval } from './mann-whitney.ts';

export type Decision = 'rolledBack' | 'promoted';

/** Judges a release window by window, told the minutes since its start; a window is undefined when its scrape was lost. The rivals take windows of a minute. */
export interface Decider {
  begin(history: readonly Counts[]): (window: Window | undefined, minutes: number) => Decision | undefined;
}

/** Minutes until a release can be promoted, in all strategies. */
const PLAN = 10;

/** Errors as the defaults compare them; all pods are warm from the first minute. */
const ERRORS: Comparison = { ...defaultComparison, warmUpMs: 0 };
/** Latencies: the thresholds have the tolerance in them. */
const LATENCIES: Comparison = { ...ERRORS, tolerate: 1, atLeast: 0 };

/** The judge of Serin. It may wait beyond the plan; with `goesOn` it never promotes. */
export const serin = (options: { goesOn?: boolean } = {}): Decider => judgeBy(ERRORS, options);
export const serinOfLatency = (options: { goesOn?: boolean } = {}): Decider => judgeBy(LATENCIES, options);

const judgeBy = (comparison: Comparison, { goesOn = false }: { goesOn?: boolean }): Decider => ({
  begin(history) {
    let evidence: Evidence = learnScatter(noEvidence(comparison), history);
    return (window, minutes) => {
      if (window === undefined) return undefined;
      evidence = addWindow(evidence, window, { comparison, firstReadyMs: 0 });
      const { verdict } = weigh(evidence, comparison);
      if (verdict === 'bad') return 'rolledBack';
      return verdict === 'fine' && minutes >= PLAN && !goesOn ? 'promoted' : undefined;
    };
  },
});

/** Flagger: a success rate of 99% in each interval of a minute, five failed checks in all roll back, an interval without requests is one. */
export const flagger: Decider = {
  begin() {
    let [failed, passed] = [0, 0];
    return (window) => {
      if (window !== undefined && window.canary.requests > 0 && successOf(window.canary) >= 0.99) passed += 1;
      else failed += 1;
      if (failed >= 5) return 'rolledBack';
      return passed >= PLAN ? 'promoted' : undefined;
    };
  },
};

/** Argo Rollouts: a success rate of 95% every 5 minutes, `failureLimit: 3`, and five measurements in a row without data are an error. 50 minutes. */
export const argo: Decider = {
  begin() {
    let [failed, empty] = [0, 0];
    let counted: Counts = { requests: 0, failures: 0 };
    return (window, minutes) => {
      if (window !== undefined) counted = sum(counted, window.canary);
      if (minutes % 5 !== 0) return undefined;
      if (counted.requests === 0) empty += 1;
      else {
        empty = 0;
        if (successOf(counted) < 0.95) failed += 1;
      }
      counted = { requests: 0, failures: 0 };
      if (failed > 3 || empty >= 5) return 'rolledBack';
      return minutes >= 50 ? 'promoted' : undefined;
    };
  },
};

/** Kayenta: the Mann–Whitney test of its Netflix judge over the error rates of 60 minutes, a confidence of 98% and a tolerance of a quarter of the estimate. */
export const kayenta: Decider = {
  begin() {
    const canary: number[] = [];
    const primary: number[] = [];
    return (window, minutes) => {
      if (window !== undefined && window.canary.requests > 0 && window.primary.requests > 0) {
        canary.push(1 - successOf(window.canary));
        primary.push(1 - successOf(window.primary));
      }
      if (minutes < 60) return undefined;
      if (canary.length === 0) return 'rolledBack';
      const { low, estimate } = mannWhitneyInterval(canary, primary, 0.98);
      return low > 0.25 * Math.abs(estimate) ? 'rolledBack' : 'promoted';
    };
  },
};

/** A test of two proportions at 1%, one-sided, run once after 30 minutes. */
export const fixedHorizon: Decider = proportions((minutes) => minutes === 30);

/** The same test, run every minute for 30 minutes, as dashboards tempt users to do. */
export const peeking: Decider = proportions(() => true);

function proportions(isAsked: (minutes: number) => boolean): Decider {
  return {
    begin() {
      let canary: Counts = { requests: 0, failures: 0 };
      let primary: Counts = canary;
      return (window, minutes) => {
        if (window !== undefined) [canary, primary] = [sum(canary, window.canary), sum(primary, window.primary)];
        if (isAsked(minutes) && zOf(canary, primary) > 2.326) return 'rolledBack';
        return minutes >= 30 ? 'promoted' : undefined;
      };
    },
  };
}

function zOf(canary: Counts, primary: Counts): number {
  const all = sum(canary, primary);
  const pooled = all.failures / all.requests;
  const variance = pooled * (1 - pooled) * (1 / canary.requests + 1 / primary.requests);
  return variance > 0 && Number.isFinite(variance)
    ? (canary.failures / canary.requests - primary.failures / primary.requests) / Math.sqrt(variance)
    : 0;
}

const successOf = ({ requests, failures }: Counts): number => 1 - failures / requests;
const sum = (one: Counts, other: Counts): Counts => ({ requests: one.requests + other.requests, failures: one.failures + other.failures });

/** All of them, by the name in the results. */
export const deciders = { serin: serin(), flagger, argo, kayenta, fixedHorizon, peeking } as const;
export type DeciderName = keyof typeof deciders;
