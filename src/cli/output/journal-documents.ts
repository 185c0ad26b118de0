import * as z from 'zod';
import { documentOf, documentOn, Time, versionField } from '../../reading/documents/output-version.ts';

/** Output of `serin history --journal=RELEASE`. */
export const JournalDocument = documentOn('Journal', {
  release: z.number(),
  parts: z.array(z.record(z.string(), z.unknown())).describe('For serin replay -f; the fields are in docs/journal.md.'),
});
export type JournalDocument = z.infer<typeof JournalDocument>;

const DecisionReport = z.object({
  state: z.string().describe('Phase and step in the statechart (docs/statechart.md).'),
  routes: z.enum(['weighted', 'matched', 'mirrored']),
  weight: z.number().describe('Percent of traffic to the canary.'),
  failedChecks: z.number(),
  iterations: z.number(),
  asks: z.array(z.string()).describe('The next actions.'),
});

/** Output of `serin replay`. */
export const ReplayResult = documentOn('ReplayResult', {
  release: z.number(),
  outcome: z.enum(['same', 'differs', 'unknown']),
  steps: z.number().describe('Steps that were replayed.'),
  recordedBy: z.array(z.string()).describe('Versions of Serin.'),
  replayedBy: z.string(),
  difference: z
    .object({
      at: Time,
      step: z.number().describe('From 1.'),
      event: z.string(),
      cause: z.enum(['engineVersion', 'editedJournal']),
      recorded: DecisionReport,
      decided: DecisionReport,
    })
    .optional()
    .describe('The first one.'),
  unknown: z.string().optional().describe('Reason why the journal cannot be followed to its end.'),
});
export type ReplayResult = z.infer<typeof ReplayResult>;

const OutcomeField = z.enum(['promoted', 'rolledBack', 'cancelled']);

/** One release under a changed analysis. */
export const SupposedRelease = z.object({
  namespace: z.string(),
  name: z.string(),
  release: z.number(),
  began: Time.optional(),
  recorded: z.object({ verdict: OutcomeField, at: Time }).optional().describe('Absent if the journal ends before the analysis does.'),
  outcome: z.enum(['same', 'differs', 'unknown']).describe('Of the verdict with the change, beside the recorded one.'),
  supposed: z
    .object({
      verdict: OutcomeField,
      at: Time,
      weight: z.number().describe('Percent of traffic that the canary had.'),
      failedChecks: z.number(),
      reason: z.string().optional(),
    })
    .optional(),
  firstDifference: z.object({ at: Time, recorded: DecisionReport, decided: DecisionReport }).optional(),
  unknown: z.string().optional().describe('Reason why the journal does not say it.'),
});
export type SupposedRelease = z.infer<typeof SupposedRelease>;

/** Output of `serin replay --with`. */
export const Supposition = SupposedRelease.extend({ apiVersion: versionField, kind: z.literal('Supposition') });
export type Supposition = z.infer<typeof Supposition>;

/** Output of `serin backtest`. */
export const Backtest = documentOf('Backtest', {
  namespace: z.string(),
  same: z.number(),
  differs: z.number(),
  unknown: z.number(),
  items: z.array(SupposedRelease),
});
export type Backtest = z.infer<typeof Backtest>;
