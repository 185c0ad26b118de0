/** Who can remove a blocker. */
export const actors = {
  canaryOwner: 'the owner of the Canary',
  workloadOwner: 'the owner of the target',
  objectOwner: 'the owner of the object that it names',
  gateOwner: 'the owner of the webhook',
  metricsOwner: 'the owner of the metrics',
  clusterAdmin: 'the administrator of the cluster',
  serinAdmin: 'the administrator of Serin',
  byItself: 'no one: it ends by itself',
} as const satisfies Record<string, string>;
export type Actor = keyof typeof actors;

/** One reason for which a release does not go on. */
export interface BlockerMeaning {
  /** A clause, so that it can follow a colon. */
  meaning: string;
  actor: Actor;
  /** Removes the blocker, run as it stands. Words in capitals are filled in. */
  command?: string;
  /** Shows more of it, or opens what is to be corrected. Words in capitals are filled in. */
  look?: string;
}

const by = (actor: Actor, meaning: string, remedy: Pick<BlockerMeaning, 'command' | 'look'> = {}): BlockerMeaning => ({
  meaning,
  actor,
  ...remedy,
});

const editCanary = 'kubectl edit canary CANARY -n NAMESPACE';
const lookAtObject = 'kubectl get KIND OBJECT -n NAMESPACE -o yaml';
const status = 'serin status CANARY -n NAMESPACE';

/**
 * The closed list of reasons for which a release does not go on: `status.release.blockers[].code`, and the causes of `serin why`. Programs may
 * match on the names. docs/reasons.md and docs/cli.md are made from it.
 */
export const blockers = {
  InvalidSpec: by('canaryOwner', 'the spec cannot be run', { look: editCanary }),
  UnsupportedByProvider: by('canaryOwner', 'the traffic provider cannot do what the spec asks for', { look: editCanary }),
  CrossNamespaceRef: by('canaryOwner', 'the spec refers to another namespace, or to a host or gateway of others, which is forbidden', {
    look: editCanary,
  }),
  TargetTaken: by('canaryOwner', 'an older Canary has the target or its Services', { look: 'serin list -n NAMESPACE' }),
  ForeignController: by('serinAdmin', 'another controller writes the status', {
    command: 'kubectl annotate canary CANARY -n NAMESPACE serin.dev/resume=VERSION --overwrite',
  }),
  CRDOutdated: by('clusterAdmin', 'the installed CustomResourceDefinition drops status fields that a release needs', {
    command: 'serin crds apply',
  }),
  Suspended: by('canaryOwner', '`spec.suspend` is true', {
    command: `kubectl patch canary CANARY -n NAMESPACE --type merge -p '{"spec":{"suspend":false}}'`,
  }),
  Paused: by('canaryOwner', 'the release is paused', { command: 'serin resume CANARY -n NAMESPACE' }),
  TargetUnusable: by('workloadOwner', 'the target cannot have a primary'),
  TargetNotFound: by('workloadOwner', 'the workload of spec.targetRef does not exist'),
  TargetUnobserved: by('byItself', 'the last change of the target, or the end of its old pods, was not observed yet', {
    look: lookAtObject,
  }),
  ConfigNotFound: by('workloadOwner', 'a ConfigMap or Secret that the pods need was not found'),
  ConfigUnreadable: by('clusterAdmin', 'a ConfigMap or Secret cannot be read or watched'),
  ConfigCopyRejected: by('clusterAdmin', 'the copy of a ConfigMap or Secret for the primary cannot be made'),
  NameTaken: by('objectOwner', 'an object of this name has another owner', { look: lookAtObject }),
  KindNotFound: by('clusterAdmin', 'a CustomResourceDefinition is missing'),
  Forbidden: by('clusterAdmin', 'Serin lacks a permission'),
  QuotaExceeded: by('clusterAdmin', 'a quota is too small for an object that Serin creates', {
    look: 'kubectl describe resourcequota OBJECT -n NAMESPACE',
  }),
  ApiRejected: by('clusterAdmin', 'the API server or an admission rule refuses an object'),
  ScalerNotFound: by('workloadOwner', 'the scaler that spec.autoscalerRef names does not exist'),
  TemplateLeftover: by('objectOwner', 'another controller puts a field back into the primary'),
  NoPromotedTemplate: by('workloadOwner', 'the last promoted template is not recorded any more'),
  RouteRejected: by('canaryOwner', 'the traffic provider cannot express the routes that the spec asks for'),
  RouteUnconfirmed: by('objectOwner', 'the routes are written, and the traffic provider has not accepted them'),
  RouteContested: by('objectOwner', 'another writer changes the routes back, which Serin corrects after growing pauses', {
    look: lookAtObject,
  }),
  Other: by('objectOwner', 'another reason, given in the message'),
  PodsNotReady: by('workloadOwner', 'the pods of the target or the primary are not ready', { look: 'serin why CANARY -n NAMESPACE' }),
  RolloutStalled: by('workloadOwner', 'the rollout has failed, or exceeded its own deadline', {
    look: 'kubectl rollout status KIND/OBJECT -n NAMESPACE',
  }),
  InsufficientCapacity: by('clusterAdmin', 'the side that gets more load does not have enough pods yet'),
  InsufficientEvidence: by('byItself', 'the comparison with the primary has not shown yet that the canary is not worse than tolerated', {
    look: 'serin status CANARY -n NAMESPACE -o wide',
  }),
  PrimaryUnavailable: by('workloadOwner', 'the primary does not serve'),
  PrimaryRejected: by('clusterAdmin', 'the primary could not be written'),
  GateClosed: by('gateOwner', 'a confirmation hook holds the release', { look: status }),
  HookRejected: by('gateOwner', 'a webhook does not let the release pass', { look: status }),
  CheckFailed: by('workloadOwner', 'a measurement is out of its range', { look: status }),
  NoTraffic: by('canaryOwner', 'a check found nothing to measure', { look: status }),
  TemplateNotFound: by('canaryOwner', 'a MetricTemplate does not exist'),
  SecretNotFound: by('metricsOwner', 'a Secret with credentials of a metrics server does not exist'),
  SecretRejected: by('metricsOwner', 'a Secret with credentials of a metrics server may not be used for the field that names it'),
  QueryInvalid: by('canaryOwner', 'a MetricTemplate or a query cannot be used as it is written'),
  Unmeasured: by('metricsOwner', 'a check cannot be measured: its backend gives no usable answer', { look: status }),
} as const satisfies Record<string, BlockerMeaning>;

export type BlockerCode = keyof typeof blockers;
