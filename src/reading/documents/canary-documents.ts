import * as z from 'zod';
import { Blocker } from '../../api/blocker.ts';
import { ImageChange } from '../../api/container-image.ts';
import { Ending } from '../../api/ending.ts';
import { ComparedReport } from './compared-report.ts';
import { documentOf, documentOn, ObjectName, Time, versionField } from './output-version.ts';

const FieldOf = ObjectName.extend({
  field: z.string().describe('Path in the object, as in spec.suspend; metadata: the object as a whole.'),
  value: z.string().describe('The value, as text.'),
});

/** The traffic split of a Canary, in percent. */
export const Traffic = z.object({
  kind: z.enum(['weighted', 'matched', 'mirrored']).describe('matched: requests that match go to the canary, all others to the primary.'),
  primary: z.number().describe('Percent of requests; where the kind is matched, of the matching requests.'),
  canary: z.number().describe('Percent of requests; where the kind is matched, of the matching requests; where it is mirrored, of copies.'),
});

/** Reason for the end of the last release. */
export const EndingReport = Ending.omit({ atMs: true }).extend({
  code: z.string().describe('From a closed list (docs/reasons.md), which grows.'),
  at: Time.describe('When it was decided.'),
  actor: z.string().describe('The role that can act.'),
  remedy: z.string().describe('The remedy.'),
});
export type EndingReport = z.infer<typeof EndingReport>;

/** The last release of a Canary: its images, its begin, and how far it is. */
export const ReleaseProgress = z.object({
  number: z.number().describe('Number of the release, as in serin history.'),
  began: Time,
  images: z.array(ImageChange).optional().describe('Images that it changes, if they are known.'),
  steps: z
    .object({
      at: z.number().describe('Reached steps.'),
      of: z.number().describe('Planned steps.'),
      unit: z.enum(['weight', 'iteration']).describe('weight: steps of weight; iteration: checks of Blue/Green or A/B.'),
    })
    .optional()
    .describe('Absent if it has ended.'),
  paused: z
    .object({ by: z.string().describe('Name of the user.'), since: Time })
    .optional()
    .describe('Absent if it is not paused.'),
});
export type ReleaseProgress = z.infer<typeof ReleaseProgress>;

/** One Canary in a list. */
export const CanarySummary = z.object({
  namespace: z.string(),
  name: z.string(),
  phase: z.string().describe('Empty if no controller has reconciled it yet.'),
  suspended: z.boolean(),
  aside: z.boolean().optional().describe('True if Serin has left it to another controller, which writes its status.'),
  deleting: z.boolean().optional().describe('True if it is deleted, and stays until its finalizers are removed.'),
  target: z.object({ kind: z.string(), name: z.string() }),
  provider: z.string().optional().describe('Absent if --mesh-provider of the controller decides.'),
  traffic: Traffic,
  iterations: z.number().describe('Of this release; 0 while its confirm-rollout gate is closed.'),
  failedChecks: z.number().describe('Of this release; 0 while its confirm-rollout gate is closed.'),
  threshold: z.number().optional(),
  revision: z.string().optional().describe('Revision under analysis, or the last one after its analysis.'),
  promotedRevision: z.string().optional(),
  since: Time.optional().describe('When the phase began.'),
  message: z.string().optional(),
  release: ReleaseProgress.optional().describe('The last release; absent before the first one, and while its first gate is closed.'),
  ending: EndingReport.optional().describe('Reason for the end of the last release; absent if none has ended, or one is under way.'),
});
export type CanarySummary = z.infer<typeof CanarySummary>;

/** One side of a Canary, with its pods. */
export const WorkloadReport = z.object({
  kind: z.string(),
  name: z.string(),
  exists: z.boolean(),
  replicas: z.number().optional(),
  ready: z.number().optional(),
  runs: z.string().optional().describe('Of a Knative Service: the Revision on this side.'),
  revision: z.string().optional(),
});
export type WorkloadReport = z.infer<typeof WorkloadReport>;

/** One check of the analysis with its last value and limit. */
export const CheckReport = z.object({
  check: z.string(),
  verdict: z.enum(['passed', 'failed', 'unmeasured', 'pending']).describe('pending: not measured yet in this release.'),
  value: z.number().optional(),
  baseline: z.number().optional().describe('The value of the primary.'),
  requests: z.number().optional().describe('About how many requests of the canary the check was decided by, where they are counted.'),
  limit: z.string().optional(),
  reason: z.string().optional(),
  code: z.string().optional().describe('Reason why a check is unmeasured, from a closed list (docs/reasons.md).'),
  query: z.string().optional().describe('The query that gave no value, shortened.'),
  observed: z.boolean().optional().describe('Shown only: it does not count.'),
  recent: z.array(z.object({ at: Time, verdict: z.string(), value: z.number().optional() })).optional(),
});
export type CheckReport = z.infer<typeof CheckReport>;

/** One webhook that can hold a release. */
export const GateReport = z.object({
  name: z.string(),
  type: z.string(),
  state: z
    .enum(['closed', 'unreachable', 'open', 'unasked'])
    .describe('unreachable: it gave no answer, or could not be called. unasked: nothing is known of this release.'),
  reason: z.string().optional(),
});
export type GateReport = z.infer<typeof GateReport>;

/** One Kubernetes event of the Canary. */
export const EventReport = z.object({
  at: Time.optional(),
  type: z.string(),
  reason: z.string(),
  message: z.string(),
  count: z.number(),
});
export type EventReport = z.infer<typeof EventReport>;

const ConditionReport = z.object({ type: z.string(), status: z.string(), reason: z.string(), message: z.string().optional() });

/** The replica that looks after a Canary, by the Lease that it holds. */
export const ControllerReport = z.object({
  held: z.boolean().describe('False if no replica holds the Lease, so that none looks after the Canary.'),
  pod: z.string().optional().describe('The holder; without a holder, the last pod that did not release it.'),
  shard: z.number().optional().describe('Absent if the Canaries are not divided into shards.'),
  shards: z.number().optional().describe('Number of shards; they are counted from 0.'),
  lease: ObjectName,
  renewed: Time.optional().describe('When the Lease was written last.'),
  ageSeconds: z.number().optional().describe('Time since then, by the clock of this machine.'),
  since: Time.optional().describe('Since when no replica holds it.'),
  look: z.string().optional().describe('Complete command that shows more, where no replica holds it.'),
});
export type ControllerReport = z.infer<typeof ControllerReport>;

/** Output of `serin status`. */
export const CanaryReport = CanarySummary.extend({
  apiVersion: versionField,
  kind: z.literal('CanaryReport'),
  step: z.string().optional().describe('Child state of the phase in the statechart (docs/statechart.md).'),
  workloads: z.object({ target: WorkloadReport, primary: WorkloadReport }),
  checks: z.array(CheckReport),
  compared: z
    .array(ComparedReport)
    .optional()
    .describe('By each metric of spec.analysis.comparison; absent without a metric, or if nothing was compared yet.'),
  gates: z.array(GateReport),
  blockers: z
    .array(Blocker.extend({ code: z.string().describe('From a closed list (docs/reasons.md), which grows.') }))
    .optional()
    .describe('Reasons why the release does not continue now, the most urgent first; absent if nothing holds it.'),
  conditions: z.array(ConditionReport),
  events: z.array(EventReport),
  controller: ControllerReport.optional().describe(
    'Absent if no Lease says it, as without leader election, or without the right to read Leases.',
  ),
});
export type CanaryReport = z.infer<typeof CanaryReport>;

/** A primary that keeps serving after the deletion of its Canary. */
export const KeptItem = z.object({
  namespace: z.string(),
  name: z.string().describe('Of the Canary that was deleted.'),
  primary: z.string().describe('Kind and name of the object that serves.'),
  target: z.string().describe('Kind and name of the object that holds what was not promoted.'),
  promoted: z.string().describe('The revision that serves.'),
  unpromoted: z.string().describe('The revision of the target.'),
  since: z.string(),
  next: z.string().describe('Ways to end it.'),
});
export type KeptItem = z.infer<typeof KeptItem>;

/** An edit that a user has to decide on. */
export const ChangeOf = z.object({
  verb: z.enum(['set', 'create', 'remove']),
  ...ObjectName.shape,
  field: z.string().optional().describe('With `set`: of the object; entries of a list are named as in containers[web].'),
});
export type ChangeOf = z.infer<typeof ChangeOf>;

/** One cause with proof and remedy. */
export const Diagnosis = z.object({
  cause: z.string().describe('From a closed list (docs/reasons.md), or the type of a standing condition.'),
  sentence: z.string(),
  proof: z.array(FieldOf).describe('Fields of objects that prove it.'),
  action: z.string().describe('The remedy.'),
  who: z
    .string()
    .optional()
    .describe('Role that can apply it; absent if it is the owner of the Canary or of its target, or no one has to.'),
  change: ChangeOf.optional().describe('The remedy, if a user has to decide: the field to set, the object to create or to remove.'),
  command: z.string().optional().describe('Complete command that removes the cause.'),
  look: z.string().optional().describe('Complete command that shows more, or opens the object to correct.'),
});
export type Diagnosis = z.infer<typeof Diagnosis>;

/** Output of `serin why`. */
export const Why = documentOn('Why', {
  phase: z.string(),
  waits: z.boolean().describe('True if the release is still in progress: more follows without a change of the target.'),
  diagnosis: Diagnosis,
  also: z
    .array(Diagnosis)
    .describe('Further causes: a pause or an unconfirmed route that also holds it, or a warning that holds nothing up now.'),
  controller: ControllerReport.optional().describe(
    'Absent if no Lease says it, as without leader election, or without the right to read Leases.',
  ),
});
export type Why = z.infer<typeof Why>;

/** A release that ended without a promotion. */
export const UnpromotedRelease = z.object({
  number: z.number().describe('Number of the release, as in --journal.'),
  revision: z.string(),
  began: Time.optional(),
  ended: Time.optional(),
  seconds: z.number().describe('From its start to its end.'),
  code: z.string().describe('From a closed list (docs/reasons.md), which grows.'),
  cause: z.string().optional().describe('The cause behind the code, from the same list.'),
  metric: z.string().optional().describe('Name of the check that decided.'),
  webhook: z.string().optional().describe('Name of the webhook that decided.'),
  requester: z.string().optional().describe('Name of the user who requested it.'),
  reason: z.string().describe('The cause in words; not for programs.'),
  images: z.array(ImageChange).describe('Images that it would have changed, if they are known.'),
});
export type UnpromotedRelease = z.infer<typeof UnpromotedRelease>;

/** Output of `serin history`. */
export const History = documentOn('History', {
  items: z.array(
    z.object({
      number: z.number().describe('Rises with each promotion.'),
      revision: z.string(),
      current: z.boolean(),
      recorded: Time.optional().describe('When this template was promoted for the first time.'),
      images: z.array(z.string()),
      record: z.string().describe('Name of the ControllerRevision.'),
    }),
  ),
  releases: z
    .array(UnpromotedRelease)
    .optional()
    .describe('The last releases that ended without a promotion, the newest first; absent if none is recorded.'),
});
export type History = z.infer<typeof History>;

/** Output of `serin diff`. */
export const Difference = documentOn('Difference', {
  from: z.string().describe('The revision that serves, by its ControllerRevision.'),
  changes: z.array(
    z
      .object({ field: z.string(), promoted: z.string().optional(), target: z.string().optional() })
      .describe('As JSON, or "(not shown)" in a ConfigMap or Secret; absent if the field does not exist.'),
  ),
});
export type Difference = z.infer<typeof Difference>;

/** The outcome of a user's request to a release. */
export const RequestResult = documentOn('RequestResult', {
  verb: z.string(),
  id: z.string().optional(),
  outcome: z.enum(['requested', 'done', 'refused', 'timedOut']),
  message: z.string().optional(),
});
export type RequestResult = z.infer<typeof RequestResult>;

const RevisionTraffic = z.object({
  revision: z.string().optional().describe('Absent if it is the latest ready revision, and the cluster has not said which.'),
  latest: z.boolean().describe('Follows the latest revision that is ready.'),
  percent: z.number(),
  tag: z.string().optional(),
  url: z.string().optional(),
});

/** Output of `serin traffic show`. */
export const TrafficReport = documentOf('TrafficReport', {
  object: z
    .object({ kind: z.string(), namespace: z.string(), name: z.string() })
    .describe('The Canary, or the Knative Service without one.'),
  provider: z.string(),
  traffic: Traffic.optional().describe('Of a Canary; absent if the route is missing, or has another owner.'),
  matching: z.boolean().optional().describe('Only requests that match are split; all others go to the primary.'),
  sides: z.object({ primary: z.string(), canary: z.string() }).optional(),
  unreadable: z.string().optional().describe('Reason why the objects hold no split of primary and canary.'),
  revisions: z.array(RevisionTraffic).optional().describe('Of a Knative Service.'),
  readFrom: z.array(z.string()).describe('Objects of the provider: kind, namespace/name.'),
});
export type TrafficReport = z.infer<typeof TrafficReport>;
