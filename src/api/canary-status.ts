import * as z from 'zod';
import { BlockedObject, Blockers, NewBlocker } from './blocker.ts';
import { ImageChange } from './container-image.ts';
import { Ending, ShownCheck } from './ending.ts';
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
  /** The field of the Canary to correct, or of the object; set by `Accepted` only, as is the object. */
  field: z.string().optional(),
  /** The object that has to be corrected, where it is not the Canary. */
  object: BlockedObject.optional().catch(undefined),
});
export type CanaryCondition = z.infer<typeof CanaryCondition>;

/** Why a check has no value. */
export const UnmeasuredCode = z.enum(['NoTraffic', 'TemplateNotFound', 'SecretNotFound', 'SecretRejected', 'QueryInvalid', 'Unmeasured']);
export type UnmeasuredCode = z.infer<typeof UnmeasuredCode>;

/** The result of one check: in range, out of range, or not measurable at all (which is never a bad measurement, I11). */
export const Verdict = z.object({
  check: z.string(),
  verdict: z.enum(['passed', 'failed', 'unmeasured']),
  value: z.number().optional(),
  /** The primary's value of the same query, where one can be asked for. */
  baseline: z.number().optional(),
  /** About how many requests of the canary the window held; absent: they were not counted. Shown to users, never decided on. */
  requests: z.number().min(0).optional().catch(undefined),
  limit: z.string().optional(),
  reason: z.string().optional(),
  /** Unmeasured only because this revision has not been measured for long enough yet: neither a pass nor a failed check. */
  early: z.boolean().optional(),
  /** Shown only: the metric has no say in the release. */
  observed: z.boolean().optional(),
  /** Why it is unmeasured. */
  code: UnmeasuredCode.optional().catch('Unmeasured'),
  /** The object that has to be corrected or created for it, and its field; without an object, a field of the Canary. */
  object: BlockedObject.optional().catch(undefined),
  field: z.string().optional(),
});
export type Verdict = z.infer<typeof Verdict>;

/** Differences between what the primary serves and the revision of a release; shown to users, never decided on. */
export const ReleaseChange = z.object({
  images: z.array(ImageChange),
  /** Number of images that are not named. */
  moreImages: z.int().optional(),
  /** ConfigMaps and Secrets, by `configmap/<name>` or `secret/<name>`. */
  configs: z.array(z.string()),
  /** The pod template differs, and none of its images. */
  template: z.boolean().optional(),
});
export type ReleaseChange = z.infer<typeof ReleaseChange>;

/** Characters of the details of an alert; those that the engine writes are shorter. */
const MOST_DETAILS = 32_768;

/** The facts of an alert as data, for receivers that read them and for templates. */
export const AlertDetails = z
  .object({
    /** Number of the release. */
    release: z.int(),
    revision: z.string(),
    change: ReleaseChange.optional(),
    /** Steps of weight or iterations that are reached, of those that are planned. */
    step: z.object({ at: z.int(), of: z.int() }).optional(),
    /** Percent of requests to the canary. */
    weight: z.number(),
    /** Checks that decided. */
    checks: z.array(ShownCheck),
    /** Of a release that has ended. */
    durationSeconds: z.number().optional(),
    /** What ended it; its checks are those above. */
    ending: Ending.omit({ checks: true, moreChecks: true }).optional().catch(undefined),
    /** The webhook that holds the release, and its type. */
    gate: z.object({ webhook: z.string(), type: z.string() }).optional(),
  })
  // A status that was edited by hand must not become a message of any size (I16).
  .refine((details) => JSON.stringify(details).length <= MOST_DETAILS);
export type AlertDetails = z.infer<typeof AlertDetails>;

/** A message that someone still has to receive (I6); listed before its first attempt. */
export const Delivery = z.object({
  /** Idempotency key, stable over retries and restarts. */
  key: z.string(),
  kind: z.enum(['event', 'event-webhook', 'post-rollout', 'alert']),
  /** Absent: news during the release, which only an alert reports. */
  outcome: z.enum(['Succeeded', 'Failed', 'superseded', 'cancelled']).optional(),
  message: z.string(),
  /** The revision of a release that has ended, whatever is analysed when the message is delivered. */
  revision: z.string().optional(),
  sinceMs: z.number(),
  /**
   * The webhook to call: the `nth` of this name among those of its type. Absent: `-event-webhook`; of a `post-rollout` that an earlier
   * version has listed: all.
   */
  hook: z.object({ name: z.string(), nth: z.int() }).optional(),
  /** Set for alerts, but for those that an earlier version has listed. */
  alert: z
    .object({
      reason: z.string(),
      severity: z.enum(['info', 'warn', 'error']),
      /** The AlertProvider; absent: the global receiver. */
      to: z.object({ namespace: z.string(), name: z.string() }).optional(),
      fields: z.array(z.object({ name: z.string(), value: z.string() })),
      /** Absent in what an earlier version has listed. */
      details: AlertDetails.optional().catch(undefined),
    })
    .optional(),
});
export type Delivery = z.infer<typeof Delivery>;

/** The record of a ConfigMap or Secret, never its content. Without `uid`, it is optional and does not exist. */
export const SeenConfig = z.object({
  uid: z.string().optional(),
  /** Without `uid`: of its deletion, or of the list that did not have it; an object that was created and deleted since has another version. */
  resourceVersion: z.string().optional(),
  /** Checksum of its content (03-CT10); absent when it is not tracked, which its type or its owner decides. */
  checksum: z.string().optional(),
});
export type SeenConfig = z.infer<typeof SeenConfig>;
/** Pods that one side needs before it gets more load, kept until no release is in progress (E60). */
export const Capacity = z.object({
  side: z.enum(['primary', 'target']),
  pods: z.int(),
  /** Ready pods of a primary that ran only its promoted revision before it was scaled up: pods that still start do not make it worse. */
  had: z.int().optional(),
  /** Since when it has them; proxies learn of new pods as late as of routes. */
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

/** A weight of the canary in percent, and when it was recorded: shown to users, never decided on. */
export const RecentWeight = z.object({ atMs: z.number(), weight: z.number() });
export type RecentWeight = z.infer<typeof RecentWeight>;

/** Fields that decide in which objects routes are written, and how. */
export const RoutedFor = z.object({
  provider: z.string(),
  /** The fields of `RoutedSpec`; read by that schema where they are used, so that a stricter one does not cost the memory of a release. */
  spec: z.looseObject({}),
});
export type RoutedFor = z.infer<typeof RoutedFor>;

/** How a canary that was ready has failed in this run (rules E27a, E27b). */
export const Failing = z.object({
  /** Ends of containers and lost readiness, as `PodFailings` had them when they were counted last. */
  crashes: z.int(),
  lost: z.int(),
  /** Of that moment, too. */
  ends: z.record(z.string(), z.int()),
  last: PodFailing.optional().catch(undefined),
  /** When the last interval was judged: a failing is counted an interval later at the latest. */
  judgedMs: z.number(),
  /** Milliseconds that the canary was not ready, but for the wait that goes on. */
  unreadyMs: z.number(),
  /** Since when it is not ready now. */
  unreadySinceMs: z.number().optional(),
});
export type Failing = z.infer<typeof Failing>;

/** Everything Serin remembers of a release; Flagger's status fields are projected from it. Times: epoch milliseconds. */
export const Release = z.object({
  targetUid: z.string(),
  /** The revision under analysis, or the last one that was. */
  revision: z.string(),
  /** The revision that the primary holds by our own promotion. */
  promotedRevision: z.string().optional(),
  observedGeneration: z.int(),
  /** The count of its templates that the target's kind keeps, where it does: it distinguishes an edit of the template from any other. */
  observedRollout: z.string().optional(),
  /** The revision of the target's template alone, where the configs that its pods read count too. */
  template: z.string().optional(),
  /** Those configs, by `configmap/<name>` or `secret/<name>`, as they were when the revision was recorded. Absent: none is tracked. */
  configs: z.record(z.string(), SeenConfig).optional(),
  /** Number of releases started on this Canary; part of each question's id. */
  run: z.int(),
  /** Child state of the phase in the statechart. */
  step: z.string(),
  routes: Routes,
  failedChecks: z.int(),
  iterations: z.int(),
  startedMs: z.number(),
  /** When the current step was entered; deadlines count from here. */
  stepStartedMs: z.number(),
  /** While a canary that has just become ready settles: since when it was waited for, in case it falls again. */
  awaitedSinceMs: z.number().optional(),
  /** `spec.suspend` was true when this was written: what was done by hand until it is lifted counts, also while Serin was down. */
  suspended: z.boolean().optional(),
  /** Next moment at which the chart wants to be woken; absent when nothing is due. */
  wakeAtMs: z.number().optional(),
  /** The pre-rollout hooks passed for this revision. */
  preRolloutPassed: z.boolean().optional(),
  /** Requests to the canary before this moment were answered by another revision, and say nothing of this one. */
  measuredFromMs: z.number().optional(),
  /** When the last of those was answered, where that is known to be longer ago. */
  othersUntilMs: z.number().optional(),
  /** Whether the start of this revision was confirmed. */
  confirmed: z.boolean().optional(),
  /** For whom the routes were written, while they may hold a share of the canary (E113). */
  routedFor: RoutedFor.optional(),
  /** For whom they were written before an edit of the provider or the Service name, and may hold a share since (E113). */
  leftRoutes: z.array(RoutedFor).optional(),
  /** Routes of the user's that `spec.routeRefs` names, and those that it has named and that may be split since. */
  listedRoutes: z.array(RouteRef).optional().catch(undefined),
  /** The routes of the step, kept while the canary cannot serve and gets nothing; they return when it can. */
  heldRoutes: Routes.optional(),
  verdicts: z.array(Verdict).optional(),
  /** Ticks in which a metric with a failureLimit failed, by its name. */
  failures: z.record(z.string(), z.int()).optional(),
  /** By check, the last ones of this run. */
  recent: z.record(z.string(), z.array(RecentMeasurement)).optional(),
  /** By metric, what is kept of the comparison with the primary; read by the engine's schema, and started anew where it does not fit. */
  comparison: z.record(z.string(), z.looseObject({})).optional().catch(undefined),
  /** A passed check waits for the evidence of this metric (E124): its name. */
  awaitedEvidence: z.string().optional().catch(undefined),
  /** Weights of this run, oldest first. */
  weights: z.array(RecentWeight).max(100).optional().catch(undefined),
  /** While `unmeasured: hold` holds: since when a check cannot be measured. */
  blindSinceMs: z.number().optional(),
  /** Absent before the canary was ready once, and in a status of an earlier version. */
  failing: Failing.optional().catch(undefined),
  /** What this release changes. */
  change: ReleaseChange.optional().catch(undefined),
  /** The webhook whose gate is closed, once an alert has reported it. */
  gate: z.string().optional(),
  capacity: Capacity.optional(),
  /** Pods that the canary had for its last step: the user's scaler is kept from going below them (E101). */
  heldPods: z.int().optional(),
  /** Pods that the target had before they were stopped, to be started anew with other configs (E91). */
  stoppedPods: z.int().optional(),
  /** With a scaler: ready pods of the primary when the run began, and it carried the whole load. */
  podsAtStart: z.int().optional(),
  /** uid of the target that was seen at zero since the last release: pods that it has by now are another writer's (E90). */
  scaledDownUid: z.string().optional(),
  /** `kind/name` of the user's scaler that the primary's was made from; another one in the spec replaces that (03-B14). */
  scaler: z.string().optional(),
  /** What ended the last release, or what its promotion goes by while it is promoted; absent: none has ended, or an earlier version ended it. */
  ending: Ending.optional().catch(undefined),
  /** Why the release failed or waits; in words for the condition. */
  reason: z.string().optional(),
  /** While `reason` is the answer of a webhook: which one refused, of which type, and its own words. */
  refusedBy: z.object({ webhook: z.string(), type: z.string(), detail: z.string() }).optional().catch(undefined),
  /** While `reason` is why the primary could not be written: the same as data, where it is known. */
  refusal: NewBlocker.optional().catch(undefined),
  /** Reasons for which the release does not go on now, as data; the sentence of `Promoted` says the same. Written for readers, never read for a decision. */
  blockers: Blockers.optional(),
  /** When the release goes on, or is rolled back, by itself; absent: it waits for others, without limit. Written for readers, as `blockers` is. */
  dueMs: z.number().optional().catch(undefined),
  deliveries: z.array(Delivery).optional(),
  /** The controller process that wrote this; two that take turns run the same Canary. */
  writer: z.string().optional(),
  /** Who paused the release, and when. No deadline counts meanwhile (E71). */
  paused: z.object({ by: z.string(), sinceMs: z.number() }).optional(),
  /** An undo that is under way: the target is being written (E74). */
  undo: VerbRequest.optional(),
  /** A restart that is under way: the primary's pod template is being written (E134). */
  restart: VerbRequest.optional(),
  /** Outcomes of the last requests, oldest first; an id that is listed is not carried out again (E70). */
  requests: z.array(Acknowledgement).optional(),
});
export type Release = z.infer<typeof Release>;

/** The status: Flagger's fields, and Serin's own in `release`. */
export const CanaryStatus = z.object({
  phase: Phase,
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
