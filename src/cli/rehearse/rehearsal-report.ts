import * as z from 'zod';
import { Verdict } from '../../api/canary-status.ts';
import { EvidencePoint } from '../../reading/documents/compared-report.ts';
import { documentOf, ObjectName } from '../../reading/documents/output-version.ts';

const Seconds = z.number().describe('From the push of the new version; negative: before it.');
const Requests = z.object({ sent: z.number(), failed: z.number().describe('Answered with 5xx.') });
const RequestsBy = z.object({
  old: Requests,
  new: Requests,
  none: Requests.describe('Answered by a proxy itself.'),
});

/** A mistake in the manifests, with its remedy. */
export const RehearsalMistake = z.object({
  severity: z.enum(['error', 'warning']),
  rule: z.string().describe('Origin: `validate`, or a code of a rehearsal such as bad-version-promoted.'),
  message: z.string(),
  object: ObjectName.optional(),
  field: z.string().optional(),
  file: z.string().optional(),
  line: z.number().optional(),
  scenario: z.string().optional(),
});
export type RehearsalMistake = z.infer<typeof RehearsalMistake>;

const CheckSeen = Verdict.pick({ check: true, verdict: true, value: true, requests: true, limit: true, reason: true });

/** One entry of a rehearsal's timeline. */
export const TimelineEntry = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('scenario'), seconds: Seconds, message: z.string() }),
  z.object({ kind: z.literal('phase'), seconds: Seconds, phase: z.string() }),
  z.object({
    kind: z.literal('traffic'),
    seconds: Seconds,
    routes: z.enum(['weighted', 'matched', 'mirrored']),
    canaryWeight: z.number().describe('Percent.'),
  }),
  z.object({ kind: z.literal('checks'), seconds: Seconds, checks: z.array(CheckSeen) }),
  z.object({ kind: z.literal('event'), seconds: Seconds, type: z.string(), reason: z.string(), message: z.string() }),
  z.object({
    kind: z.literal('webhook'),
    seconds: Seconds,
    to: z.string(),
    webhooks: z.array(z.object({ name: z.string(), type: z.string() })),
    status: z.number().describe('Answer of the rehearsal.'),
    body: z.string(),
  }),
  z.object({ kind: z.literal('alert'), seconds: Seconds, to: z.string(), status: z.number(), body: z.string() }),
  z.object({
    kind: z.literal('write'),
    seconds: Seconds,
    object: ObjectName,
    created: z.boolean(),
    changes: z
      .array(z.object({ field: z.string(), before: z.string().optional(), after: z.string().optional() }))
      .describe('As JSON; absent if the field does not exist.'),
  }),
]);
export type TimelineEntry = z.infer<typeof TimelineEntry>;

/** One rehearsal: one Canary in one scenario. */
export const RehearsalResult = z.object({
  namespace: z.string(),
  name: z.string(),
  scenario: z.object({ name: z.string(), says: z.string(), expect: z.enum(['promoted', 'not-promoted', 'either']) }),
  verdict: z
    .enum(['promoted', 'caught', 'rolledBack', 'held', 'notStarted', 'notRehearsed'])
    .describe('caught: a bad version was rolled back. held: the release did not end. notRehearsed: the model has no such Canary.'),
  phase: z.string(),
  message: z.string(),
  ending: z
    .object({ code: z.string().describe('From a closed list (docs/reasons.md).'), detail: z.string() })
    .optional()
    .describe('Reason for the end of the release; absent if it has not ended.'),
  blamed: z.array(z.string()).describe('Checks that were out of range or unmeasured at the end.'),
  seconds: z.object({
    total: z.number(),
    toPromote: z.number().optional(),
    toDetect: z.number().optional().describe('The first failed check, or the rollback where none failed.'),
    toRollBack: z.number().optional(),
  }),
  requests: RequestsBy,
  peakPods: z.number(),
  checks: z
    .array(
      z.object({
        check: z.string(),
        state: z.enum(['modelled', 'assumed', 'notModelled']),
        value: z.number().optional().describe('As assumed.'),
        min: z.number().optional(),
        max: z.number().optional(),
        why: z.string().optional(),
      }),
    )
    .describe('The metrics of the analysis with their limits, and how each is measured.'),
  timeline: z.array(TimelineEntry),
  evidence: z
    .array(EvidencePoint)
    .optional()
    .describe('Growth of the evidence of the comparison with the primary; absent if nothing was compared.'),
  samples: z.array(z.object({ seconds: Seconds, requests: RequestsBy, pods: z.object({ old: z.number(), new: z.number() }) })),
  notApplied: z.array(ObjectName.extend({ why: z.string() })),
  assumptions: z.array(z.string()),
});
export type RehearsalResult = z.infer<typeof RehearsalResult>;

/** Output of `serin rehearse`. */
export const RehearsalReport = documentOf('RehearsalReport', {
  sound: z.boolean().describe('No mistake is an error: the exit code is 0.'),
  seed: z.number(),
  requestsPerSecond: z.number(),
  mistakes: z.array(RehearsalMistake),
  rehearsals: z.array(RehearsalResult),
});
export type RehearsalReport = z.infer<typeof RehearsalReport>;
