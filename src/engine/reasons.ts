/** The closed list of event reasons: what each means. The docs table is made from it. */
export const reasons = {
  Initialized: 'the primary serves, and the target has no traffic',
  PrimaryDelayed: 'the primary is not ready within the progress deadline; the target keeps serving',
  NewRevision: 'a changed target was found and its release begins',
  GateClosed: 'a confirmation hook holds the release',
  HookPassed:
    'a hook or gate let the release go on; of a rollback hook: it asked for the end of the release; of a post-rollout hook: it took the news of the end',
  WeightAdvanced: 'the canary moved to its next weight',
  IterationAdvanced: 'an A/B or blue/green release began its next iteration',
  CheckFailed: 'a check failed and was counted',
  ComparedWorse: 'by analysis.comparison the canary is worse than the primary; in shadow mode the release goes on',
  PrimaryFailing: 'the primary itself fails more than its canary could explain; the release goes on',
  Unmeasured: 'a check could not be measured; the release holds where it is',
  MetricsUnavailable: 'the backend of a metric cannot be asked; initialization goes on, and the first release would be unmeasured',
  CanaryUnavailable: 'the canary has no serving pods and its traffic went to the primary',
  CanaryRecovered: 'the canary serves again and receives its traffic again',
  Promoting: 'the analysis passed and the primary is being written',
  PrimaryRejected: 'the primary could not be written',
  TrafficShifted: 'traffic moved from the canary to the promoted primary',
  Succeeded: 'the release is complete',
  Failed: 'the release was rolled back',
  PromotionFailed: 'the primary did not become ready; its last promoted template is restored',
  Superseded: 'a newer revision took the place of this one',
  Cancelled: 'the target is back at the promoted revision',
  DeliveryExpired: 'a message found no receiver for a day (15 minutes, where the release goes on) and was given up',
  HookFailed: 'a post-rollout hook or an event webhook failed; it is tried again, unless it was refused with a status of 400 to 499',
  AlertFailed: 'a receiver did not take an alert; it is tried again',
  InvalidSpec: 'the spec cannot be run; nothing is started, what serves goes on serving, and a release goes by the spec before',
  UnsupportedByProvider: 'the traffic provider cannot do what the spec asks for',
  CrossNamespaceRef: 'the spec refers to another namespace, or to a host or gateway that is not allowed to this one',
  TargetTaken: 'an older Canary releases the same target or uses the same apex Service',
  TargetNotFound: 'the workload that spec.targetRef names does not exist',
  ConfigUnavailable: 'a ConfigMap or Secret that the target reads is missing or cannot be read; no release starts and none is promoted',
  ConfigUnwatched: 'some ConfigMaps or Secrets of the target are read when a release starts, and not watched; the release goes on',
  Blocked: 'an object of the release cannot be written',
  FieldIgnored: 'a field of the spec has no effect with this provider, or counts as another value; the release goes on',
  PodsUnwatched:
    'the pods of a canary cannot be watched during its release, so that crashes count only by the time for which it is not ready',
  ProviderDeprecated: 'the upstream of the traffic provider has ended; the release goes on',
  DriftCorrected: 'another writer had changed an object that Serin keeps, and the change was put back',
  RouteWarning: 'a route cannot do all of what it says, beside the Services as they are; said on the route itself',
  ScalerWarning: 'the scaler of the primary may scale otherwise than the one that it was made from',
  PrimaryKept: 'the Canary was deleted while its target held what was not promoted: the primary keeps serving; said on target and Service',
  TargetScaledUp: 'another writer has scaled the resting target up; its pods get no traffic and are left alone',
  ServiceTrafficRejected: 'the cluster does not take how the Services are to steer traffic; the release goes on without it',
  StatusTruncated: 'the status would be larger than 256 KiB, and is stored without the parts that the message names',
  ForeignController: 'another controller writes the status of this Canary; Serin leaves it alone',
  RequestCompleted: 'what a user asked for by a verb is done, or has begun',
  RequestRejected: 'what a user asked for by a verb is not possible now; nothing was done',
  Suspended: 'spec.suspend is true and nothing is written',
  CRDOutdated: 'the installed Canary CRD drops status.release, without which no release is safe',
} as const;
export type Reason = keyof typeof reasons;

/** Something that happened, for an Event; alerts are listed in the status. Its reason is from the closed list. */
export interface Announcement {
  reason: Reason;
  type: 'Normal' | 'Warning';
  message: string;
}

/** One announcement in the closed vocabulary. */
export function say(reason: Reason, message: string, options: { warning?: boolean } = {}): Announcement {
  return { reason, type: options.warning ? 'Warning' : 'Normal', message };
}
