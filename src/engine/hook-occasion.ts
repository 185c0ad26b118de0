import type { HookType } from '../api/canary.ts';
import { isAnalysing } from '../api/step.ts';
import type { Context } from './context.ts';
import type { Facts } from './facts.ts';

/**
 * The occasion on which hooks of one type are called, for receivers that must not do the same twice (E135). It follows from the recorded status only: if
 * a process ends before it has recorded the answer, the next process calls the hooks again under the same key.
 */
export function occasionOf(type: HookType, context: Context, facts: Facts): string {
  const { run, revision } = context.release;
  return `${facts.canary.metadata.uid}/${run}/${revision}/${momentOf(type, context, facts)}/${type || 'rollout'}`;
}

function momentOf(type: HookType, { release, wakeAtMs }: Context, { nowMs, intervalMs }: Facts): string {
  const { startedMs, stepStartedMs, failedChecks, shiftedMs = 0 } = release;
  // By the clock that began the release: a process with another clock makes the same key (E144).
  const first = (ms: number): number => ms - shiftedMs;
  // It is called until it has passed, and each refusal is a failed check.
  if (type === 'pre-rollout') return `${first(stepStartedMs)}/${failedChecks}`;
  const isCheck = isAnalysing(release) && wakeAtMs !== undefined && wakeAtMs <= nowMs;
  if (isCheck && release.wakeAtMs !== undefined) return String(first(release.wakeAtMs));
  // The polls of a gate are not recorded. Each interval has one poll and one key; an edit of the interval makes other keys.
  const lengthMs = Math.max(1, intervalMs);
  // Rollback hooks are polled beside the steps.
  const beganMs = type === 'rollback' ? startedMs : stepStartedMs;
  const fromMs = first(beganMs + Math.floor((nowMs - beganMs) / lengthMs) * lengthMs);
  return `${fromMs}-${fromMs + lengthMs}`;
}
