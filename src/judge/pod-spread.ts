import { kept } from './ratio-evidence.ts';
import type { Counts, PodCounts } from './window.ts';

/** Pods of the primary with all that was counted of them, and how many pods the canary had in the last window. */
export interface Pods {
  canaryPods: number;
  primary: Readonly<Record<string, Counts>>;
}

/** Pods of the primary that are followed: the first ones that were seen. More say little more, and a status must stay short. */
export const MOST_PODS = 20;

/** Adds the pods of a window. */
export function addPods(
  pods: Pods | undefined,
  { canary, primary }: { canary: readonly PodCounts[]; primary: readonly PodCounts[] },
): Pods | undefined {
  const canaryPods = canary.filter(({ requests }) => requests > 0).length;
  if (canaryPods === 0) return pods;
  const sums = new Map(Object.entries(pods?.primary ?? {}));
  for (const { name, requests, failures } of primary) {
    const before = sums.get(name);
    if (before === undefined && sums.size >= MOST_PODS) continue;
    sums.set(name, { requests: kept((before?.requests ?? 0) + requests), failures: kept((before?.failures ?? 0) + failures) });
  }
  return { canaryPods, primary: Object.fromEntries(sums) };
}

/** Normal quantile of the half of a chance of 1 % that is spent on the draw of the pods. */
const QUANTILE = 2.576;

/** The variance of relative rates that is assumed at most, and while the primary has no failures that could show one. */
const MOST_VARIANCE = 0.5;

/** A pod with less than this part of the mean requests has just come, and its rate says nothing. */
const FEWEST_REQUESTS = 0.1;

/**
 * The factor by which the tolerated ratio is widened: a canary with few pods may have got the bad nodes, and that is not a fault of its version. Pods are taken as
 * drawn once for the release, with log-normal rates that scatter like those of the primary's pods. Chance is not subtracted from the scatter, so that
 * pods with few failures widen more. The quantile grows as that of Student's t does when few pods tell the scatter (Cornish–Fisher, first term).
 */
export function wideningOf(pods: Pods | undefined): number {
  if (pods === undefined) return 1;
  const all = Object.values(pods.primary).filter(({ requests }) => requests > 0);
  const mean = all.reduce((sum, { requests }) => sum + requests, 0) / all.length;
  const used = all.filter(({ requests }) => requests >= mean * FEWEST_REQUESTS);
  if (used.length < 2) return 1;
  const quantile = QUANTILE + (QUANTILE ** 3 + QUANTILE) / (4 * (used.length - 1));
  const deviation = Math.sqrt(Math.log1p(Math.min(MOST_VARIANCE, varianceOf(used))));
  return Math.exp(quantile * deviation * Math.sqrt(1 / pods.canaryPods + 1 / used.length));
}

/** Variance of the rates, each by the rate of all. */
function varianceOf(pods: readonly Counts[]): number {
  const requests = pods.reduce((sum, pod) => sum + pod.requests, 0);
  const failures = pods.reduce((sum, pod) => sum + pod.failures, 0);
  if (failures === 0) return MOST_VARIANCE;
  const rate = failures / requests;
  return pods.reduce((sum, pod) => sum + (pod.failures / pod.requests / rate - 1) ** 2, 0) / (pods.length - 1);
}
