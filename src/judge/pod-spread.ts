import { kept } from './ratio-evidence.ts';
import type { Counts } from './window.ts';

/** How far the rates of the primary's pods lie apart, beyond what chance does: sums over windows, and the number of pods of both sides. */
export interface PodSpread {
  /** Sum of the squared differences of a pod's failures from its share, less what Poisson failures have. */
  excess: number;
  /** Sum of the squares of the shares. */
  scale: number;
  canaryPods: number;
  primaryPods: number;
}

/** Pods of one side that are looked at in a window; more say little more. */
const MOST_PODS = 50;

/** Adds the pods of a window; a window with less than two pods of the primary says nothing. */
export function addPods(
  spread: PodSpread | undefined,
  { canary, primary }: { canary: readonly Counts[]; primary: readonly Counts[] },
): PodSpread | undefined {
  const pods = primary.filter(({ requests }) => requests > 0).slice(0, MOST_PODS);
  const canaryPods = canary.filter(({ requests }) => requests > 0).length;
  if (pods.length < 2 || canaryPods === 0) return spread;
  const requests = pods.reduce((sum, pod) => sum + pod.requests, 0);
  const failures = pods.reduce((sum, pod) => sum + pod.failures, 0);
  let [excess, scale] = [0, 0];
  for (const pod of pods) {
    const part = pod.requests / requests;
    excess += (pod.failures - failures * part) ** 2 - failures * part * (1 - part);
    scale += (failures * part) ** 2 * (1 - 1 / pods.length);
  }
  return {
    excess: kept((spread?.excess ?? 0) + excess),
    scale: kept((spread?.scale ?? 0) + scale),
    canaryPods,
    primaryPods: pods.length,
  };
}

/** Normal quantile of the half of a chance of 1 % that is spent on the draw of the pods. */
const QUANTILE = 2.576;

/**
 * The factor by which the tolerated ratio is widened: a canary with few pods may have got the bad nodes, and that is no fault of its version. Pods are taken as
 * drawn once for the release, with log-normal rates, and the spread as that of the primary's pods. The quantile grows as that of Student's t does when few pods tell
 * the spread (Cornish–Fisher, first term).
 */
export function wideningOf(spread: PodSpread | undefined): number {
  if (spread === undefined || spread.scale <= 0 || spread.excess <= 0) return 1;
  const ofLog = Math.sqrt(Math.log1p(spread.excess / spread.scale));
  const quantile = QUANTILE + (QUANTILE ** 3 + QUANTILE) / (4 * (spread.primaryPods - 1));
  return Math.exp(quantile * ofLog * Math.sqrt(1 / spread.canaryPods + 1 / spread.primaryPods));
}
