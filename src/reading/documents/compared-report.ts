import * as z from 'zod';
import { count, percent } from '../../engine/comparison/words.ts';

const Count = z.number().min(0).max(Number.MAX_SAFE_INTEGER);
const Share = z.number().min(0).max(1.1).describe('Of requests, 0–1; above 1 by what Prometheus extrapolates.');
const ComparedSide = z.object({
  requests: Count,
  failures: Count.describe('Requests that count against it: errors, slow requests, or what the MetricTemplate calls bad.'),
  rate: Share,
  low: Share.describe('Lower end of the interval that holds the true rate, at every moment, with the certainty of the comparison.'),
  high: Share,
  slowerThanMs: z.number().optional().describe('Of durations: a request that takes longer counts as slow.'),
});
const Percent = z.number().min(0).max(100);

/** One metric by which the canary is compared with the primary (spec.analysis.comparison). */
export const ComparedReport = z.object({
  metric: z.string().describe('errors, latency, or the name of an entry of spec.analysis.metrics.'),
  decides: z.boolean().describe('False if comparison.mode is shadow, and nothing follows from it.'),
  verdict: z.enum(['bad', 'fine', 'undecided']),
  sentence: z.string().describe('The known result, or the time until a decision.'),
  canary: ComparedSide,
  primary: ComparedSide,
  ratio: z
    .object({ estimate: z.number().optional(), low: z.number().optional(), high: z.number().optional() })
    .describe("The canary's rate by the primary's. A bound is absent as long as nothing is excluded."),
  against: Percent.describe('Evidence against the canary, in percent of what a rollback needs.'),
  inFavour: Percent.describe('Evidence that it is not worse than tolerated, in percent of what a step with pace: evidence needs.'),
  primaryFailing: z.boolean().optional().describe('True if the primary itself fails.'),
  dispersion: z.number().describe('Scatter of the failures, as a multiple of that of independent requests, 1 or more.'),
  windows: Count,
  skipped: z.record(z.string(), z.number()).describe('Windows that were left out, by reason.'),
  seconds: z.number().optional().describe('Until a decision at this traffic; absent if it is made, never comes, or the release has ended.'),
  helpfulWeight: z.number().optional().describe('A weight in percent that decides within maxStepDuration, where this one does not.'),
  helpfulSeconds: z.number().optional().describe('Until a decision at that weight.'),
  problem: z.string().optional().describe('Reason why the counts could not be read the last time.'),
});
export type ComparedReport = z.infer<typeof ComparedReport>;

/** The evidence of one metric at one moment of a release. */
export const EvidencePoint = ComparedReport.pick({ metric: true, verdict: true, against: true, inFavour: true }).extend({
  seconds: z.number().describe('From the push of the new version; of a journal, from the first counts.'),
});
export type EvidencePoint = z.infer<typeof EvidencePoint>;

/** `0.61% [0.52–0.71%], 312 of 51,004`. */
export function sideText({ rate, low, high, failures, requests, slowerThanMs }: ComparedReport['canary'], withBounds = true): string {
  const slow = slowerThanMs === undefined ? '' : `slower than ${slowerThanMs} ms: `;
  const bounds = withBounds ? ` [${percent(low).replace('%', '')}–${percent(high)}]` : '';
  return `${slow}${percent(rate)}${bounds}, ${count(failures)} of ${count(requests)}`;
}
