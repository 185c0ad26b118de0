import { type ComparisonVerdict, evidenceShares } from '../../judge/judge-comparison.ts';
import { comparedStates } from '../comparison/compared-state.ts';
import type { JournalPart } from './journal-part.ts';
import { replay } from './replay.ts';

/** The evidence of one metric after one reading of the counts. */
export interface CoursePoint {
  atMs: number;
  metric: string;
  /** Evidence against the canary, and evidence that it is not worse than tolerated, as fractions of the evidence for a decision, 0–1. */
  against: number;
  inFavour: number;
  verdict: ComparisonVerdict;
}

/** Growth of a release's evidence, from the counts in its journal; ends where the journal cannot be followed. */
export function comparedCourse(parts: readonly JournalPart[]): CoursePoint[] {
  const course: CoursePoint[] = [];
  for (const step of replay(parts)) {
    if ('unfit' in step) break;
    const { answer } = step.entry;
    if (answer === undefined || !('compared' in answer)) continue;
    const read = new Set(answer.compared?.flatMap(({ kind, metric }) => (kind === 'window' ? [metric] : [])));
    for (const { metric, known, judgement } of comparedStates(step.release, step.facts.canary)) {
      const point = { atMs: step.facts.nowMs, metric: metric.name, ...evidenceShares(judgement), verdict: judgement.verdict };
      if (read.has(metric.name) && known.evidence.windows > 0 && Number.isFinite(point.against + point.inFavour)) course.push(point);
    }
  }
  return course;
}
