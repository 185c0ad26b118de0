import type { FloatPoint } from './value.ts';

/**
 * rate, increase and delta of one series: the change between first and last point, stretched to the ends of the range. It reaches
 * an end that is closer than 1.1 mean distances between points, else half a distance; a counter is not stretched below zero.
 * Source: Prometheus promql/functions.go extrapolatedRate (version 3).
 */
export function extrapolatedChange(
  points: readonly FloatPoint[],
  startMs: number,
  endMs: number,
  as: { counter: boolean; perSecond: boolean },
): number | undefined {
  const first = points[0];
  const last = points.at(-1);
  if (!first || !last || points.length < 2) return undefined;
  const change = last.value - first.value + (as.counter ? resets(points) : 0);
  const sampledS = (last.tMs - first.tMs) / 1000;
  const meanS = sampledS / (points.length - 1);
  const reach = meanS * 1.1;
  let beforeS = (first.tMs - startMs) / 1000;
  let afterS = (endMs - last.tMs) / 1000;
  if (beforeS >= reach) beforeS = meanS / 2;
  if (as.counter && change > 0 && first.value >= 0) beforeS = Math.min(beforeS, sampledS * (first.value / change));
  if (afterS >= reach) afterS = meanS / 2;
  const factor = (sampledS + beforeS + afterS) / sampledS;
  return change * (as.perSecond ? factor / ((endMs - startMs) / 1000) : factor);
}

/** The value of a counter before each of its restarts. */
function resets(points: readonly FloatPoint[]): number {
  let lost = 0;
  for (let i = 1; i < points.length; i++) {
    const before = points[i - 1]?.value ?? 0;
    if ((points[i]?.value ?? 0) < before) lost += before;
  }
  return lost;
}

/** irate and idelta: only the last two points. */
export function instantChange(points: readonly FloatPoint[], as: { counter: boolean }): number | undefined {
  const [previous, last] = points.slice(-2);
  if (!previous || !last) return undefined;
  if (!as.counter) return last.value - previous.value;
  const change = last.value < previous.value ? last.value : last.value - previous.value;
  return change / ((last.tMs - previous.tMs) / 1000);
}
