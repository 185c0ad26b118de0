import * as z from 'zod';
import { BlockedObject, Blockers, NewBlocker } from './blocker.ts';
import { ImageChange } from './container-image.ts';
import { Ending, ShownCheck } from './ending.ts';
import { MOST_PAST_RELEASES, PastRelease } from './past-release.ts';
import { Phase } from './phase.ts';
import { PodFailing } from './pod-failing.ts';
import { RouteRef } from './route-ref.ts';
import { Routes } from './routes.ts';
import { Acknowledgement, VerbRequest } from './verb-request.ts';

/** One entry of status.conditions, as Kubernetes has it. */
export const CanaryCondition = z.object({
  type: z.string(),
  status: z.enum(['True', 'False', 'Unknown']),
  reason: z.string(),
  message: z.string().optional(),
  lastUpdateTime: z.string().optional(),
  lastTransitionTime: z.string().optional(),
  observedGeneration: z.int().optional(),
  /** The field to correct, of the object or else of the Canary; set only by `Accepted`, as is the object. */
  field: z.string().optional(),
  /** The object to correct, if it is not the Canary. */
  object: BlockedObject.optional().catch(undefined),
});
export type CanaryCondition = z.infer<typeof CanaryCondition>;

/** Reason for which a check has no value. */
export const UnmeasuredCode = z.enum([
  'NoTraffic',
  'TooFewRequests',
  'WorkloadUnknown',
  'LabelsDiffer',
  'MetricNotScraped',
  'QueryEmpty',
  'TemplateNotFound',
  'SecretNotFound',
  'SecretRejected',
  'QueryInvalid',
  'Unmeasured',
]);
export type UnmeasuredCode = z.infer<typeof UnmeasuredCode>;

/** Number of characters of a query that are kept; enough for the built-in queries. */
export const LONGEST_SHOWN_QUERY = 400;

/** The result of one check: in range, out of range, or not measurable at all (which is never a bad measurement, I11). */
export const Verdict = z.object({
  check: z.string(),
  verdict: z.enum(['passed', 'failed', 'unmeasured']),
  value: z.number().optional(),
  /** The primary's value of the same query, if there is a query for it. */
  baseline: z.number().optional(),
  /** Approximate number of requests of the canary in the window; absent if they were not counted. Shown to users, never decided on. */
  requests: z.number().min(0).optional().catch(undefined),
  limit: z.string().optional(),
  reason: z.string().optional(),
  /** Unmeasured only because this revision has not been measured for long enough yet: neither a pass nor a failed check. */
  early: z.boolean().optional(),
  /** Only shown: the metric does not decide about the release. */
  observed: z.boolean().optional(),
  /** Reason for which it is unmeasured. */
  code: UnmeasuredCode.optional().catch('Unmeasured'),
  /** The object to correct or create for it, and its field; without an object, a field of the Canary. */
  object: BlockedObject.optional().catch(undefined),
  field: z.string().optional(),
  /** The query that gave no value, shortened. */
  query: z.string().max(LONGEST_SHOWN_QUERY).optional().catch(undefined),
});
export type Verdict = z.infer<typeof Verdict>;

/** Differences between the primary and the revision of a release; shown to users, never decided on. */
export const ReleaseChange = z.object({
  images: z.array(ImageChange),
  /** Number of further changed images that are not listed. */
  moreImages: z.int().optional(),
  /** ConfigMaps and Secrets, by `configmap/<name>` or `secret/<name>`. */
  configs: z.array(z.string()),
  /** The pod template differs, but none of its images. */
  template: z.boolean().optional(),
});
export type ReleaseChange = z.infer<typeof ReleaseChange>;

/** Maximum size of the details of an alert; the engine writes fewer characters. */
const MOST_DETAILS = 32_768;

/** The facts of an alert as data, for receivers that read them and for templates. */
export const AlertDetails = z
  .object({
    /** Number of the release. */
    release: z.int(),
    revision: z.string(),
    change: ReleaseChange.optional(),
    /** Reached steps of weight or iterations, of the planned number. */
    step: z.object({ at: z.int(), of: z.int() }).optional(),
    /** Percent of requests to the canary. */
    weight: z.number(),
    /** Checks that decided. */
    checks: z.array(ShownCheck),
    /** Set for a release that has ended. */
    durationSeconds: z.number().optional(),
    /** Reason for the end; its checks are those above. */
    ending: Ending.omit({ checks: true, moreChecks: true }).optional().catch(undefined),
    /** The webhook that holds the release, and its type. */
    gate: z.object({ webhook: z.string(), type: z.string() }).optional(),
  })
  // A status that was edited by hand must not become a message of any size (I16).
  .refine((details) => JSON.stringify(details).length <= MOST_DETAILS);
export type AlertDetails = z.infer<typeof AlertDetails>;

/** A message that a receiver still has to get (I6); listed before its first attempt. */
export const Delivery = z.object({
  /** Idempotency key, stable over retries and restarts. */
  key: z.string(),
  kind: z.enum(['event', 'event-webhook', 'post-rollout', 'alert']),
  /** Absent for a message during the release, which only an alert reports. */
  outcome: z.enum(['Succeeded', 'Failed', 'superseded', 'cancelled']).optional(),
  message: z.string(),
  /** The revision of the ended release; another one can be analysed by the time of delivery. */
  revision: z.string().optional(),
  sinceMs: z.number(),
  /**
   * The webhook to call: the `nth` of this name among those of its type. Absent for `-event-webhook`, and for a `post-rollout` that an earlier version has
   * listed, which goes to all.
   */
  hook: z.object({ name: z.string(), nth: z.int() }).optional(),
  /** Set for alerts, except in a list of an earlier version. */
  alert: z
    .object({
      reason: z.string(),
      severity: z.enum(['info', 'warn', 'error']),
      /** The AlertProvider; absent for the global receiver. */
      to: z.object({ namespace: z.string(), name: z.string() }).optional(),
      fields: z.array(z.object({ name: z.string(), value: z.string() })),
      /** Absent in an alert that an earlier version has listed. */
      details: AlertDetails.optional().catch(undefined),
    })
    .optional(),
});
export type Delivery = z.infer<typeof Delivery>;

/** Record of a ConfigMap or Secret, never its content. Without `uid`, it is optional and does not exist. */
export const SeenConfig = z.object({
  uid: z.string().optional(),
  /** Without `uid`, the version of its deletion, or of the list without it; an object that was created and deleted since has another version. */
  resourceVersion: z.string().optional(),
  /** Checksum of its content; absent if it is not tracked, which its type or its owner decides. */
  checksum: z.string().optional(),
});
export type SeenConfig = z.infer<typeof SeenConfig>;
/** Pods that one side needs before it gets more load, kept until no release is in progress (E60). */
export const Capacity = z.object({
  side: z.enum(['primary', 'target']),
  pods: z.int(),
  /** Ready pods of a primary that ran only its promoted revision before it was scaled up: pods that still start do not make it worse. */
  had: z.int().optional(),
  /** Time since which it has them; proxies learn of new pods as late as of routes. */
  reachedMs: z.number().optional(),
});
export type Capacity = z.infer<typeof Capacity>;

/** Earlier results of a check, oldest first: shown to users, never decided on. */
export const RecentMeasurement = z.object({
  atMs: z.number(),
  verdict: Verdict.shape.verdict,
  value: z.number().optional(),
});
export type RecentMeasurement = z.infer<typeof RecentMeasurement>;

/** A weight of the canary in percent, and the time when it was recorded: shown to users, never decided on. */
export const RecentWeight = z.object({ atMs: z.number(), weight: z.number() });
export type RecentWeight = z.infer<typeof RecentWeight>;

/** Fields that decide in which objects routes are written, and in which form. */
export const RoutedFor = z.object({
  provider: z.string(),
  /** The fields of `RoutedSpec`; they are parsed by that schema where they are used, so that a stricter schema does not cost the memory of a release. */
  spec: z.looseObject({}),
});
export type RoutedFor = z.infer<typeof RoutedFor>;

/** Failures in this run of a canary that was ready (rules E27a, E27b). */
export const Failing = z.object({
  /** Ends of containers and lost readiness, as `PodFailings` had them at the last count. */
  crashes: z.int(),
  lost: z.int(),
  /** Ends by pod, also at the last count. */
  ends: z.record(z.string(), z.int()),
  /** The same by container, of the pods of which one has ended. */
  containers: z.record(z.string(), z.record(z.string(), z.int())).optional().catch(undefined),
  last: PodFailing.optional().catch(undefined),
  /** Time of the last judged interval: a failure is counted at the latest one interval later. */
  judgedMs: z.number(),
  /** Milliseconds for which the canary was not ready, without the current wait. */
  unreadyMs: z.number(),
  /** Start of the current wait, while it is not ready. */
  unreadySinceMs: z.number().optional(),
});
export type Failing = z.infer<typeof Failing>;

/** Serin's memory of a release; Flagger's status fields are projected from it. Times: epoch milliseconds. */
export const Release = z.object({
  targetUid: z.string(),
  /** The revision under analysis, or the last revision that was analysed. */
  revision: z.string(),
  /** The revision that the primary has from Serin's own promotion. */
  promotedRevision: z.string().optional(),
  observedGeneration: z.int(),
  /** The template counter of the target, if its kind has one: it distinguishes an edit of the template from any other edit. */
  observedRollout: z.string().optional(),
  /** The revision of only the target's template, if the configs of its pods also count. */
  template: z.string().optional(),
  /** Those configs, by `configmap/<name>` or `secret/<name>`, with their state when the revision was recorded. Absent if none is tracked. */
  configs: z.record(z.string(), SeenConfig).optional(),
  /** Number of releases started on this Canary; part of each request's id. */
  run: z.int(),
  /** Child state of the phase in the statechart. */
  step: z.string(),
  routes: Routes,
  failedChecks: z.int(),
  iterations: z.int(),
  startedMs: z.number(),
  /** Time of entering the current step; deadlines count from it. */
  stepStartedMs: z.number(),
  /** While a canary that has just become ready settles: the start of the wait for it, in case it falls again. */
  awaitedSinceMs: z.number().optional(),
  /**
   * Sum of the times by which processes with other clocks have moved the times of this run (E144): a moment from before such a move is still the same moment.
   */
  shiftedMs: z.number().optional(),
  /** `spec.suspend` was true at this write: edits by hand count until it is false again, also while Serin was down. */
  suspended: z.boolean().optional(),
  /** Next time at which the chart must be woken; absent if it waits for no time. */
  wakeAtMs: z.number().optional(),
  /** The pre-rollout hooks passed for this revision. */
  preRolloutPassed: z.boolean().optional(),
  /** Requests to the canary before this time were answered by another revision, and are not evidence about this one. */
  measuredFromMs: z.number().optional(),
  /** Time of the last such request, if it is known to be longer ago. */
  othersUntilMs: z.number().optional(),
  /** The start of this revision was confirmed. */
  confirmed: z.boolean().optional(),
  /** The spec for which the routes were written, while they can send requests to the canary (E113). */
  routedFor: RoutedFor.optional(),
  /** Specs for which routes were written before an edit of the provider or the Service name, if those can still send requests to the canary (E113). */
  leftRoutes: z.array(RoutedFor).optional(),
  /** Routes of the user's that `spec.routeRefs` names, and previously named routes that can still be split. */
  listedRoutes: z.array(RouteRef).optional().catch(undefined),
  /** The routes of the step, kept while the canary cannot serve and gets no requests; they return when it can. */
  heldRoutes: Routes.optional(),
  verdicts: z.array(Verdict).optional(),
  /** Intervals in which a metric with a failureLimit failed, by its name. */
  failures: z.record(z.string(), z.int()).optional(),
  /** The last results of this run, by check. */
  recent: z.record(z.string(), z.array(RecentMeasurement)).optional(),
  /** Statistics of the comparison with the primary, by metric; read by the engine's schema, and started again if they do not fit. */
  comparison: z.record(z.string(), z.looseObject({})).optional().catch(undefined),
  /** Name of the metric for whose evidence a passed check waits (E124). */
  awaitedEvidence: z.string().optional().catch(undefined),
  /** Weights of this run, oldest first. */
  weights: z.array(RecentWeight).max(100).optional().catch(undefined),
  /** While `unmeasured: hold` holds the release: time since which a check cannot be measured. */
  blindSinceMs: z.number().optional(),
  /** Absent until the canary was ready once, and in a status of an earlier version. */
  failing: Failing.optional().catch(undefined),
  /** Differences that this release brings. */
  change: ReleaseChange.optional().catch(undefined),
  /** The webhook whose gate is closed, once an alert has reported it. */
  gate: z.string().optional(),
  capacity: Capacity.optional(),
  /** Number of pods that the canary had for its last step: the user's scaler must not go below it (E101). */
  heldPods: z.int().optional(),
  /** Number of pods of the target before they were stopped to be started again with other configs (E91). */
  stoppedPods: z.int().optional(),
  /** With a scaler: ready pods of the primary at the start of the run, when it carried the whole load. */
  podsAtStart: z.int().optional(),
  /** uid of the target that was seen at zero since the last release: pods that it has later are another writer's (E90). */
  scaledDownUid: z.string().optional(),
  /** `kind/name` of the user's scaler from which the primary's was made; another scaler in the spec replaces it. */
  scaler: z.string().optional(),
  /** Reason for the end of the last release, or for the promotion in progress; absent if none has ended, or if an earlier version ended it. */
  ending: Ending.optional().catch(undefined),
  /** The last releases that ended without a promotion, oldest first. */
  pastReleases: z.array(PastRelease).max(MOST_PAST_RELEASES).optional().catch(undefined),
  /** Reason for which the release failed or waits, in words for the condition. */
  reason: z.string().optional(),
  /** While `reason` is the response of a webhook: its name, its type and its own text. */
  refusedBy: z
    .object({
      webhook: z.string(),
      type: z.string(),
      detail: z.string(),
      /** It gave no answer, or could not be called. */
      isUnanswered: z.literal(true).optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
  /** The closed gate that `gateTimeout` limits, and the time since which it is closed or cannot be reached. */
  gateClosed: z.object({ webhook: z.string(), type: z.string(), sinceMs: z.number() }).optional().catch(undefined),
  /** While `reason` says that the primary could not be written: the same as data, if it is known. */
  refusal: NewBlocker.optional().catch(undefined),
  /** Reasons for which the release does not continue now, as data; the sentence of `Promoted` says the same. Written for readers, never read for a decision. */
  blockers: Blockers.optional(),
  /** Time at which the release continues or is rolled back by itself; absent if it waits without limit. Written for readers, as `blockers` is. */
  dueMs: z.number().optional().catch(undefined),
  deliveries: z.array(Delivery).optional(),
  /** The controller process that wrote this. Two processes that alternate here run the same Canary. */
  writer: z.string().optional(),
  /** Time by which its clock was ahead of the API server's; negative if it was behind, absent if they were about the same. */
  clockAheadMs: z.number().optional(),
  /** Generation of the last spec that was stored as accepted, if the Canary has another generation. */
  acceptedGeneration: z.int().optional().catch(undefined),
  /** User who paused the release, and the time. No deadline counts meanwhile (E71). */
  paused: z.object({ by: z.string(), sinceMs: z.number() }).optional(),
  /** An undo in progress: the target is being written (E74). */
  undo: VerbRequest.optional(),
  /** A restart in progress: the primary's pod template is being written (E134). */
  restart: VerbRequest.optional(),
  /** A retry that waits until the pods of the failed release have stopped (E75). */
  retry: VerbRequest.optional().catch(undefined),
  /** Outcomes of the last requests, oldest first; an id that is listed is not carried out again (E70). */
  requests: z.array(Acknowledgement).optional(),
});
export type Release = z.infer<typeof Release>;

/** The status: Flagger's fields, and Serin's own in `release`. */
export const CanaryStatus = z.object({
  phase: Phase,
  reason: z
    .string()
    .optional()
    .catch(undefined)
    .describe(
      'Code of what needs attention: why the spec is refused, why the release waits, or why it failed (docs/reasons.md); absent if nothing does. Written with other changes only.',
    ),
  observedGeneration: z
    .int()
    .optional()
    .catch(undefined)
    .describe(
      'Generation of the spec for which this status holds. Only with --kstatus or the annotation serin.dev/kstatus (docs/gitops.md).',
    ),
  failedChecks: z.number(),
  canaryWeight: z.number(),
  iterations: z.number(),
  trackedConfigs: z.record(z.string(), z.string()).optional(),
  lastAppliedSpec: z.string().optional(),
  lastPromotedSpec: z.string().optional(),
  lastTransitionTime: z.string().optional(),
  sessionAffinityCookie: z.string().optional(),
  primarySessionAffinityCookie: z.string().optional(),
  previousSessionAffinityCookie: z.string().optional(),
  conditions: z.array(CanaryCondition).optional(),
  release: Release.optional(),
});
export type CanaryStatus = z.infer<typeof CanaryStatus>;
