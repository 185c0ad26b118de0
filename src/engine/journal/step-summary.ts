import { releaseOf, type Snapshot } from '../machine.ts';
import type { Question } from '../questions.ts';
import { weightOf } from '../strategy.ts';

/** Outcome of one step, as codes and numbers: free text can contain text of other writers. */
export interface StepSummary {
  /** Name of the state: phase, step, and part of it. */
  state: string;
  routes: 'weighted' | 'matched' | 'mirrored';
  /** Percent of traffic to the canary. */
  weight: number;
  failedChecks: number;
  iterations: number;
  /** Questions, in order; a wake with its delay in milliseconds. */
  asks: readonly string[];
}

export function stepSummary(next: Snapshot, questions: readonly Question[], nowMs: number): StepSummary {
  const { routes, failedChecks, iterations } = releaseOf(next);
  const asks = questions.map((question) => nameOf(question, nowMs));
  return { state: statePath(next.value), routes: routes.kind, weight: weightOf(routes), failedChecks, iterations, asks };
}

/** Paths of a state value, joined by dots. */
export function statePath(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([key, inner]) => (typeof inner === 'object' && Object.keys(inner ?? {}).length === 0 ? key : `${key}.${statePath(inner)}`))
    .join('+');
}

function nameOf(question: Question, nowMs: number): string {
  switch (question.kind) {
    case 'runHooks':
      return `runHooks ${question.type || 'rollout'}`;
    case 'announce':
      return `announce ${question.announcement.reason}`;
    case 'wakeAt':
      return `wakeAt ${question.atMs - nowMs}`;
    default:
      return question.kind;
  }
}
