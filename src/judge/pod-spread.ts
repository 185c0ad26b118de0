import { kept } from './ratio-evidence.ts';
import type { Counts, PodCounts } from './window.ts';

/** Pods of the primary with all their counts, and the number of canary pods in the last window. */
export interface ComparedPods {
  canaryPods: number;
  primary: Readonly<Record<string, Counts>>;
}

/** Maximum of followed pods of the primary: the first that were seen. More pods say little more, and a status must stay short. */
export const MOST_COMPARED_PODS = 20;

/** Adds the pods of a window. */
export function addPods(
  pods: ComparedPods | undefined,
  { canary, primary }: { canary: readonly PodCounts[]; primary: readonly PodCounts[] },
): ComparedPods | undefined {
  const canaryPods = canary.filter(({ requests }) => requests > 0).length;
  if (canaryPods === 0) return pods;
  const sums = new Map(Object.entries(pods?.primary ?? {}));
  for (const { name, requests, failures } of primary) {
    const before = sums.get(name);
    if (before === undefined && sums.size >= MOST_COMPARED_PODS) continue;
    sums.set(name, { requests: kept((before?.requests ?? 0) + requests), failures: kept((before?.failures ?? 0) + failures) });
  }
  return { canaryPods, primary: Object.fromEntries(sums) };
}

/** Normal quantile of the half of a chance of 1% that is spent on the draw of the pods. */
const QUANTILE = 2.576;

/** Assumption about pods before their failures show it: rates with a standard deviation of 20%, as if three pods had shown it. */
const ASSUMED = { variance: 0.04, degrees: 2 };

/** Upper limit of an estimate. */
const MOST_VARIANCE = 0.5;

/** A pod with less than this part of the mean requests has just come, and its rate says nothing. */
const FEWEST_REQUESTS = 0.1;

/**
 * The factor by which the tolerated ratio is widened: a canary with few pods can get the bad nodes by chance, and that is not a fault of its version. Pods are
 * taken as drawn once for the release, with log-normal rates that scatter like those of the primary's pods. The quantile grows as that of Student's t does when
 * few pods show the scatter (Cornish–Fisher, first term). With a single pod of the primary a bad node cannot be distinguished from a bad version, and nothing
 * is widened.
 */
export function wideningOf(pods: ComparedPods | undefined): number {
  if (pods === undefined) return 1;
  const all = Object.values(pods.primary).filter(({ requests }) => requests > 0);
  const mean = all.reduce((sum, { requests }) => sum + requests, 0) / all.length;
  const used = all.filter(({ requests }) => requests >= mean * FEWEST_REQUESTS);
  if (used.length < 2) return 1;
  const { variance, degrees } = scatterOf(used);
  const quantile = QUANTILE + (QUANTILE ** 3 + QUANTILE) / (4 * degrees);
  return Math.exp(quantile * Math.sqrt(Math.log1p(variance) * (1 / pods.canaryPods + 1 / used.length)));
}

/**
 * Variance of the rates, each divided by the rate of all, and its degrees of freedom: the assumption and the variance seen beyond chance, which weighs less the
 * more of it is chance. Pods with few failures say little.
 */
function scatterOf(pods: readonly Counts[]): { variance: number; degrees: number } {
  const requests = pods.reduce((sum, pod) => sum + pod.requests, 0);
  const failures = pods.reduce((sum, pod) => sum + pod.failures, 0);
  if (failures === 0) return ASSUMED;
  const rate = failures / requests;
  const seen = pods.reduce((sum, pod) => sum + (pod.failures / pod.requests / rate - 1) ** 2, 0) / (pods.length - 1);
  const chance = pods.reduce((sum, pod) => sum + 1 / (rate * pod.requests), 0) / pods.length;
  const beyond = Math.min(MOST_VARIANCE, Math.max(0, seen - chance));
  const degrees = (pods.length - 1) * (ASSUMED.variance / (ASSUMED.variance + chance)) ** 2;
  const all = ASSUMED.degrees + degrees;
  return { variance: (ASSUMED.variance * ASSUMED.degrees + beyond * degrees) / all, degrees: all };
}
