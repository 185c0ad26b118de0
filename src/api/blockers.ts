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

const editCanary = 'kubectl edit canary CANARY -n NAMESPACE';
const lookAtObject = 'kubectl get KIND OBJECT -n NAMESPACE -o yaml';
const status = 'serin status CANARY -n NAMESPACE';

/**
 * The closed list of reasons for which a release does not go on: `status.release.blockers[].code`, and the causes of `serin why`. Programs may
 * match on the names. docs/reasons.md and docs/cli.md are made from it.
 */
export const blockers = {
  InvalidSpec: { meaning: 'the spec cannot be run', actor: 'canaryOwner', look: editCanary },
  UnsupportedByProvider: { meaning: 'the traffic provider cannot do what the spec asks for', actor: 'canaryOwner', look: editCanary },
  CrossNamespaceRef: {
    meaning: 'the spec refers to another namespace, or to a host or gateway of others, which is forbidden',
    actor: 'canaryOwner',
    look: editCanary,
  },
  TargetTaken: {
    meaning: 'an older Canary has the target or its Services',
    actor: 'canaryOwner',
    look: 'serin list -n NAMESPACE',
  },
  ForeignController: {
    meaning: 'another controller writes the status',
    actor: 'serinAdmin',
    command: 'kubectl annotate canary CANARY -n NAMESPACE serin.dev/resume=VERSION --overwrite',
  },
  CRDOutdated: {
    meaning: 'the installed CustomResourceDefinition drops status fields that a release needs',
    actor: 'clusterAdmin',
    command: 'serin crds apply',
  },
  Suspended: {
    meaning: '`spec.suspend` is true',
    actor: 'canaryOwner',
    command: `kubectl patch canary CANARY -n NAMESPACE --type merge -p '{"spec":{"suspend":false}}'`,
  },
  Paused: { meaning: 'the release is paused', actor: 'canaryOwner', command: 'serin resume CANARY -n NAMESPACE' },
  TargetUnusable: { meaning: 'the target cannot have a primary', actor: 'workloadOwner' },
  TargetNotFound: { meaning: 'the workload of spec.targetRef does not exist', actor: 'workloadOwner' },
  TargetUnobserved: {
    meaning: 'the last change of the target was not observed yet',
    actor: 'byItself',
    look: lookAtObject,
  },
  ConfigNotFound: { meaning: 'a ConfigMap or Secret that the pods need was not found', actor: 'workloadOwner' },
  ConfigUnreadable: { meaning: 'a ConfigMap or Secret cannot be read or watched', actor: 'clusterAdmin' },
  ConfigCopyRejected: {
    meaning: 'the copy of a ConfigMap or Secret for the primary cannot be made',
    actor: 'clusterAdmin',
  },
  NameTaken: { meaning: 'an object of this name has another owner', actor: 'objectOwner', look: lookAtObject },
  KindNotFound: { meaning: 'a CustomResourceDefinition is missing', actor: 'clusterAdmin' },
  Forbidden: { meaning: 'Serin lacks a permission', actor: 'clusterAdmin' },
  QuotaExceeded: {
    meaning: 'a quota is too small for an object that Serin creates',
    actor: 'clusterAdmin',
    look: 'kubectl describe resourcequota OBJECT -n NAMESPACE',
  },
  ApiRejected: { meaning: 'the API server or an admission rule refuses an object', actor: 'clusterAdmin' },
  ScalerNotFound: { meaning: 'the scaler that spec.autoscalerRef names does not exist', actor: 'workloadOwner' },
  TemplateLeftover: { meaning: 'another controller puts a field back into the primary', actor: 'objectOwner' },
  NoPromotedTemplate: { meaning: 'the last promoted template is not recorded any more', actor: 'workloadOwner' },
  RouteRejected: { meaning: 'the traffic provider cannot express the routes that the spec asks for', actor: 'canaryOwner' },
  RouteUnconfirmed: {
    meaning: 'the routes are written, and the traffic provider has not accepted them',
    actor: 'objectOwner',
  },
  Other: { meaning: 'another reason, given in the message', actor: 'objectOwner' },
  PodsNotReady: {
    meaning: 'the pods of the target or the primary are not ready',
    actor: 'workloadOwner',
    look: 'serin why CANARY -n NAMESPACE',
  },
  RolloutStalled: {
    meaning: 'the rollout has failed, or exceeded its own deadline',
    actor: 'workloadOwner',
    look: 'kubectl rollout status KIND/OBJECT -n NAMESPACE',
  },
  InsufficientCapacity: { meaning: 'the side that gets more load does not have enough pods yet', actor: 'clusterAdmin' },
  PrimaryUnavailable: { meaning: 'the primary does not serve', actor: 'workloadOwner' },
  PrimaryRejected: { meaning: 'the primary could not be written', actor: 'clusterAdmin' },
  GateClosed: { meaning: 'a confirmation hook holds the release', actor: 'gateOwner', look: status },
  HookRejected: { meaning: 'a webhook does not let the release pass', actor: 'gateOwner', look: status },
  CheckFailed: { meaning: 'a measurement is out of its range', actor: 'workloadOwner', look: status },
  NoTraffic: { meaning: 'a check found nothing to measure', actor: 'canaryOwner', look: status },
  TemplateNotFound: { meaning: 'a MetricTemplate does not exist', actor: 'canaryOwner' },
  SecretNotFound: { meaning: 'a Secret with credentials of a metrics server does not exist', actor: 'metricsOwner' },
  SecretRejected: {
    meaning: 'a Secret with credentials of a metrics server may not be used for the field that names it',
    actor: 'metricsOwner',
  },
  QueryInvalid: { meaning: 'a MetricTemplate or a query cannot be used as it is written', actor: 'canaryOwner' },
  Unmeasured: { meaning: 'a check cannot be measured: its backend gives no usable answer', actor: 'metricsOwner', look: status },
} as const satisfies Record<string, BlockerMeaning>;

export type BlockerCode = keyof typeof blockers;
