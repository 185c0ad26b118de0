import { comparedCourse } from '../../engine/journal/compared-course.ts';
import type { JournalPart } from '../../engine/journal/journal-part.ts';
import type { EvidencePoint } from '../documents/compared-report.ts';

/** Growth of the evidence of a release, from its journal; empty without `analysis.comparison`. */
export function evidencePoints(parts: readonly JournalPart[]): EvidencePoint[] {
  const course = comparedCourse(parts);
  const [first] = course;
  return course.map(({ atMs, against, inFavour, ...point }) => ({
    ...point,
    seconds: (atMs - (first?.atMs ?? 0)) / 1000,
    against: Math.round(100 * against),
    inFavour: Math.round(100 * inFavour),
  }));
}
