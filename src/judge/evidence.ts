import * as z from 'zod';
import type { Comparison } from './comparison.ts';
import { addScatter, LEVELS, noScatter } from './dispersion.ts';
import { addPods, MOST_COMPARED_PODS } from './pod-spread.ts';
import { addSupport, GRID_SIZE, kept, noSupport } from './ratio-evidence.ts';
import { type Counts, isCounted, isServed, type SkipReason, skipReason, type Window } from './window.ts';

const Count = z.number().min(0);
const CountsSchema = z.object({ requests: Count, failures: Count });
const ScatterSchema = z
  .array(z.object({ pairs: Count, seen: Count, expected: Count, last: CountsSchema.exactOptional(), open: CountsSchema.exactOptional() }))
  .max(LEVELS);

/** Longest name in Kubernetes, in characters. */
const LONGEST_NAME = 253;

/**
 * Sufficient statistics of a comparison: plain JSON of a few kilobytes that a status can hold. A judge that continues from it decides as if it had never
 * stopped.
 */
export const Evidence = z.object({
  /** The tolerated ratio in the middle of the grid. Evidence for another ratio starts over. */
  tolerate: z.number().min(1).max(100),
  /** End of the last window that was used or skipped; an earlier one would count requests twice. */
  untilMs: Count,
  windows: Count,
  skipped: z.object({ invalid: Count, overlap: Count, warmUp: Count, noCanary: Count, noPrimary: Count }),
  canary: CountsSchema,
  primary: CountsSchema,
  support: z.array(z.number()).length(GRID_SIZE),
  scatter: z.object({ canary: ScatterSchema, primary: ScatterSchema }),
  pods: z
    .object({
      canaryPods: Count.min(1),
      primary: z.record(z.string().max(LONGEST_NAME), CountsSchema).refine((pods) => Object.keys(pods).length <= MOST_COMPARED_PODS),
    })
    .exactOptional(),
  /** Requests a second of both sides, the newer windows with more weight. */
  pace: z.object({ canary: Count, primary: Count }),
});
export type Evidence = z.infer<typeof Evidence>;

/** Evidence at the start of a release. */
export function noEvidence({ tolerate }: Pick<Comparison, 'tolerate'>): Evidence {
  return {
    tolerate,
    untilMs: 0,
    windows: 0,
    skipped: { invalid: 0, overlap: 0, warmUp: 0, noCanary: 0, noPrimary: 0 },
    canary: { requests: 0, failures: 0 },
    primary: { requests: 0, failures: 0 },
    support: [...noSupport],
    scatter: { canary: [...noScatter], primary: [...noScatter] },
    pace: { canary: 0, primary: 0 },
  };
}

/** Weight of the newest window in the pace. */
const NEWEST = 0.3;

/**
 * Adds a window, or counts the reason for which it is skipped: a window without both sides cannot be compared, and a window that begins before the end of the
 * last one would count requests twice. Pure; time and memory do not grow with the number of windows.
 */
export function addWindow(
  evidence: Evidence,
  window: Window,
  { comparison, firstReadyMs }: { comparison: Comparison; firstReadyMs: number },
): Evidence {
  const reason = skipReason(window, { untilMs: evidence.untilMs, warmUntilMs: firstReadyMs + comparison.warmUpMs });
  if (reason !== undefined) return skip(evidence, window, reason);
  const { canary, primary, pods } = window;
  const podsSeen = pods === undefined ? evidence.pods : addPods(evidence.pods, pods);
  return {
    ...evidence,
    untilMs: window.toMs,
    windows: evidence.windows + 1,
    canary: add(evidence.canary, canary),
    primary: add(evidence.primary, primary),
    support: [...addSupport(evidence.support, window, evidence.tolerate)],
    scatter: { canary: [...addScatter(evidence.scatter.canary, canary)], primary: [...addScatter(evidence.scatter.primary, primary)] },
    ...(podsSeen === undefined ? {} : { pods: podsSeen }),
    pace: paceWith(evidence, window),
  };
}

/**
 * Learns the scatter of failures only from the primary, before the release. Without it the first minutes of a release have only an assumption. The windows
 * follow each other and are as long as those of the release; they are not evidence about the canary.
 */
export function learnScatter(evidence: Evidence, windows: readonly Counts[]): Evidence {
  const used = windows.filter((counts) => isCounted(counts) && isServed(counts));
  const primary = used.reduce(addScatter, evidence.scatter.primary);
  return { ...evidence, scatter: { ...evidence.scatter, primary: [...primary] } };
}

function skip(evidence: Evidence, window: Window, reason: SkipReason): Evidence {
  const isPast = reason === 'invalid' || reason === 'overlap';
  return {
    ...evidence,
    untilMs: isPast ? evidence.untilMs : window.toMs,
    skipped: { ...evidence.skipped, [reason]: evidence.skipped[reason] + 1 },
  };
}

const add = (one: Counts, other: Counts): Counts => ({
  requests: kept(one.requests + other.requests),
  failures: kept(one.failures + other.failures),
});

function paceWith({ windows, pace }: Evidence, { fromMs, toMs, canary, primary }: Window): Evidence['pace'] {
  const seconds = (toMs - fromMs) / 1000;
  const weight = windows === 0 ? 1 : NEWEST;
  const mixed = (before: number, { requests }: Counts) => kept(before + weight * (requests / seconds - before));
  return { canary: mixed(pace.canary, canary), primary: mixed(pace.primary, primary) };
}
