import type { Analysis } from '../api/canary.ts';
import type { CanaryStatus } from '../api/canary-status.ts';
import { isReleasing } from '../api/phase.ts';
import { factsOf, type ProviderName, providers } from '../api/providers.ts';
import { defined } from '../base/defined.ts';
import { timestamp } from '../base/timestamp.ts';
import { plannedStep } from '../engine/next-weight.ts';
import type { ReleaseProgress } from './documents/canary-documents.ts';

/** Iterations of a provider without weights, if the spec has none. */
const USUAL_ITERATIONS = 10;
/** Number of entries of `stepWeights` that are read. */
const MOST_WEIGHTS = 200;

/** Fields of a spec that can be invalid. */
export interface ProgressPlan {
  provider: unknown;
  analysis: Readonly<Record<string, unknown>>;
}

/** Images, begin and steps of the last release of a Canary; undefined before the first one. */
export function releaseProgress(plan: ProgressPlan, status: CanaryStatus | undefined): ReleaseProgress | undefined {
  const release = status?.release;
  if (status === undefined || release === undefined || release.run === 0) return undefined;
  const { run, startedMs, change, paused, iterations } = release;
  const isRunning = isReleasing(status.phase);
  const images = change?.images ?? [];
  return {
    number: run,
    began: timestamp(startedMs),
    ...(images.length > 0 && { images }),
    ...(isRunning && { steps: stepsOf(plan, { weight: status.canaryWeight, iterations }) }),
    ...(isRunning && paused && { paused: { by: paused.by, since: timestamp(paused.sinceMs) } }),
  };
}

function stepsOf({ analysis, provider }: ProgressPlan, reached: { weight: number; iterations: number }): ReleaseProgress['steps'] {
  const { iterations, stepWeight, stepWeights, maxWeight } = analysis;
  const named = providers.find((one): one is ProviderName => one === provider);
  const canSplit = named === undefined || factsOf(named).can.weights;
  const planned = whole(iterations) ?? (canSplit && reached.iterations === 0 ? 0 : USUAL_ITERATIONS);
  const weights = Array.isArray(stepWeights) ? stepWeights.slice(0, MOST_WEIGHTS).flatMap((one) => whole(one) ?? []) : undefined;
  const plan = defined({ iterations: planned, stepWeight: whole(stepWeight), stepWeights: weights, maxWeight: whole(maxWeight) });
  return { ...plannedStep(plan as Analysis, reached), unit: planned > 0 ? 'iteration' : 'weight' };
}

/** A number above 0; a plan with a fraction of a percent would have any number of steps. */
const whole = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined;
