import { adoptAnnotation, adoptField } from '../adopt-annotation.ts';
import { builtIn } from '../built-in-metrics.ts';
import type { About, Actor, Code, Ended } from './code.ts';

const EVENT = ['event'] as const;
const WARNING = ['event', 'condition'] as const;
const CONDITION = ['condition'] as const;
const BLOCKER = ['blocker', 'cause'] as const;
const EVENT_AND_BLOCKER = ['event', 'blocker', 'cause'] as const;
/** `serin why` names a more exact cause. */
const REFINED = ['blocker'] as const;
const CAUSE = ['cause'] as const;
const ENDING = ['ending'] as const;
const EVENT_AND_ENDING = ['event', 'ending'] as const;
const BLOCKER_AND_ENDING = ['blocker', 'cause', 'ending'] as const;

const none = 'none needed';
const editCanary = 'kubectl edit canary CANARY -n NAMESPACE';
const watchCanary = 'kubectl get canary CANARY -n NAMESPACE -w';
const lookAtObject = 'kubectl get KIND OBJECT -n NAMESPACE -o yaml';
const describeObject = 'kubectl describe KIND OBJECT -n NAMESPACE';
const rolloutStatus = 'kubectl rollout status KIND/OBJECT -n NAMESPACE';
const logs = 'kubectl logs OBJECT -n NAMESPACE';
const status = 'serin status CANARY -n NAMESPACE';
const why = 'serin why CANARY -n NAMESPACE';

const inNamespace = ({ namespace }: NonNullable<About['object']>): string => (namespace ? ` in ${namespace}` : '');
const objectIn = ({ object }: About, general: string): string => (object ? `${object.kind} ${object.name}` : general);
/** The text of the component that refuses it contains the remedy. */
const detailOr =
  (general: string) =>
  ({ detail }: About): string =>
    detail || general;
const withDetail = (text: string, { detail }: About): string => (detail ? `${text}: ${detail}` : text);
const correctSpec = ({ detail }: About): string =>
  detail
    ? `correct the spec: ${detail}`
    : 'correct the field that the message names; until then what serves goes on serving, and a release goes on by the previous spec';

/** The same version is released again: first where the version can be the cause, then where it is not. */
const RELEASE_AGAIN = 'release it again with serin retry CANARY -n NAMESPACE';
export const RETRY = `if the version is good, ${RELEASE_AGAIN}`;
const CORRECT = `push a corrected TARGET; ${RETRY}`;
export const AGAIN = `then ${RELEASE_AGAIN}`;
const NEXT = 'none needed: the next edit of TARGET starts a release';

/** A code that is only seen as the end of a release. */
const ended = (outcome: Ended['outcome'], actor: Actor, meaning: string, remedy: string, more: { isOfVersion?: true } = {}) => ({
  kinds: ENDING,
  meaning,
  actor,
  remedy,
  ended: { outcome, remedy, ...more },
});
const rolledBack = (actor: Actor, meaning: string, remedy: string) => ended('rolledBack', actor, meaning, remedy);
/** Another version of the target is the remedy. */
const rolledBackVersion = (actor: Actor, meaning: string, remedy: string) =>
  ended('rolledBack', actor, meaning, remedy, { isOfVersion: true });

/**
 * The closed list of codes: reasons of events, codes of blockers, causes of `serin why` and types of warning conditions. A code has one meaning, one actor and
 * one remedy wherever it is seen. Programs may match on the names. docs/reasons.md is generated from it.
 */
export const codes = {
  // A spec that is not run.
  InvalidSpec: {
    kinds: EVENT_AND_BLOCKER,
    meaning: 'the spec cannot be run',
    actor: 'canaryOwner',
    remedy: correctSpec,
    look: editCanary,
    usualCauses:
      'a field of the wrong type, a weight that is never reached, a duration or name that Kubernetes refuses: `serin validate -f FILE` finds it before it is applied',
  },
  UnsupportedByProvider: {
    kinds: EVENT_AND_BLOCKER,
    meaning: 'the traffic provider lacks a feature that the spec uses',
    actor: 'canaryOwner',
    remedy: ({ detail }) =>
      detail ? `correct the spec: ${detail}` : 'correct the field that the message names, or choose another provider or strategy',
    look: editCanary,
    usualCauses: 'a strategy that the provider cannot express, or a provider that is not built yet',
    page: 'providers.md',
  },
  CrossNamespaceRef: {
    kinds: EVENT_AND_BLOCKER,
    meaning: 'the spec refers to another namespace, or to a host or gateway of another namespace, which is forbidden',
    actor: 'canaryOwner',
    remedy: ({ detail }) =>
      detail
        ? `correct the spec: ${detail}`
        : 'put a copy into the namespace of the Canary and refer to that; have the host or gateway allowed by the flag that the message names',
    look: editCanary,
    usualCauses:
      '`templateRef`, `alerts[].providerRef`, `upstreamRef` or a `mirror` names another namespace; a host or gateway of the routes is neither of this namespace nor in `--allowed-hosts` or `--allowed-gateways`',
  },
  EndpointsWouldBeLost: {
    kinds: EVENT_AND_BLOCKER,
    meaning:
      'a Service or route that leads to the application would lose endpoints, get no share of a release, or lead to the canary at any weight',
    actor: 'canaryOwner',
    remedy: 'do what the message says, so that the Service or route goes on serving',
    look: 'serin preflight CANARY -n NAMESPACE',
    usualCauses:
      'a Service selects the pods of several workloads; `spec.service.followers` leaves out a Service of the target; a route leads to the application and is not in `spec.routeRefs`; a VirtualService leads to a subset of the apex Service; an edit of hosts, gateways or `analysis.match` would take requests from another route',
    page: 'arrival.md',
  },
  PolicyWouldBeLost: {
    kinds: EVENT_AND_BLOCKER,
    meaning: 'a security policy would no longer apply to the pods that serve, or would begin to apply to them',
    actor: 'canaryOwner',
    remedy: 'apply the policy for the primary that `serin preflight` prints, or select by a label that both sides have',
    look: 'serin preflight CANARY -n NAMESPACE',
    usualCauses:
      'an AuthorizationPolicy, PeerAuthentication, Server or NetworkPolicy selects the pods of the target by the label that the primary has with `-primary`',
    page: 'arrival.md',
  },
  ServiceFollows: {
    kinds: EVENT,
    meaning: 'another Service of the target follows the apex Service to the primary',
    actor: 'noAction',
    remedy: 'none needed; spec.service.followers says which Services follow',
    page: 'arrival.md',
  },
  WouldBeLost: {
    kinds: WARNING,
    meaning:
      'an object that selects or leads to the application would miss the pods of the primary, which serve, or get no share of a release',
    actor: 'canaryOwner',
    remedy: 'do what the message says; or accept it, by the annotation serin.dev/arrival-loss: accepted on the object that it names',
    look: 'serin preflight CANARY -n NAMESPACE',
    usualCauses: 'a monitor, scaler or traffic setting selects the pods of the target by the label that the primary has with `-primary`',
    page: 'arrival.md',
  },
  TargetTaken: {
    kinds: EVENT_AND_BLOCKER,
    meaning: 'an older Canary has the target or its Services',
    actor: 'canaryOwner',
    remedy: 'remove this Canary, or let it release another target',
    look: 'serin list -n NAMESPACE',
    usualCauses: 'a Canary was copied, or moved to another name without removing the first',
  },
  ForeignController: {
    kinds: EVENT_AND_BLOCKER,
    meaning: 'another controller writes the status; Serin does not touch the Canary',
    actor: 'serinAdmin',
    remedy:
      'stop the other controller, then let Serin continue; beside a second Serin it continues by itself once the second has written nothing for 5 minutes',
    command: 'kubectl annotate canary CANARY -n NAMESPACE serin.dev/resume=VERSION --overwrite',
    usualCauses:
      'the other controller still runs, a second Serin runs without leader election or under another lease, or the status was edited by hand',
  },
  CRDOutdated: {
    kinds: EVENT_AND_BLOCKER,
    meaning: 'the installed CustomResourceDefinition drops status fields that a release needs',
    actor: 'clusterAdmin',
    remedy: 'ask the administrator of the cluster to upgrade the definitions to this version',
    command: 'serin crds apply',
    look: 'serin crds diff',
    usualCauses: 'the CRD of another controller or of an older version is installed; `charts/serin/files/crds` has those of this version',
  },
  Suspended: {
    kinds: EVENT_AND_BLOCKER,
    meaning: 'spec.suspend is true, and nothing is written',
    actor: 'canaryOwner',
    remedy: 'set spec.suspend to false',
    command: `kubectl patch canary CANARY -n NAMESPACE --type merge -p '{"spec":{"suspend":false}}'`,
    usualCauses: 'a user set `spec.suspend`',
  },
  Paused: {
    kinds: BLOCKER,
    meaning: 'the release is paused',
    actor: 'canaryOwner',
    remedy: 'resume it, promote it or roll it back',
    command: 'serin resume CANARY -n NAMESPACE',
  },

  // Objects of a release.
  Blocked: {
    kinds: EVENT,
    meaning: 'an object of the release cannot be written',
    actor: 'objectOwner',
    remedy: 'do what the message says; the release goes on by itself',
    look: why,
    usualCauses: 'the CRD of the mesh is missing, another owner has an object of the name, or permission is missing',
  },
  TargetUnusable: {
    kinds: EVENT_AND_BLOCKER,
    meaning: 'the target cannot have a primary',
    actor: 'workloadOwner',
    remedy: (about) => withDetail(`correct ${objectIn(about, 'the target')}`, about),
  },
  TargetNotFound: {
    kinds: EVENT_AND_BLOCKER,
    meaning: 'the workload of spec.targetRef does not exist',
    actor: 'workloadOwner',
    remedy: (about) => `create ${objectIn(about, 'it')}, or correct spec.targetRef`,
    usualCauses: 'the Deployment is not applied yet, was deleted, or is misspelt',
  },
  TargetUnobserved: {
    kinds: BLOCKER,
    meaning: 'the last change of the target, or the end of its old pods, was not observed yet',
    actor: 'byItself',
    remedy: 'wait; if that lasts, the controller of the workload does not run, or one of its old pods does not end',
    look: lookAtObject,
  },
  ConfigUnavailable: {
    kinds: EVENT,
    meaning: 'a ConfigMap or Secret that the target reads is missing or cannot be read; no release starts and none is promoted',
    actor: 'workloadOwner',
    remedy: 'create the object that the message names, or grant the right that it names; the release continues by itself',
    look: why,
    usualCauses: 'a required ConfigMap or Secret is not applied yet or was deleted; Serin may not watch or read it',
  },
  ConfigNotFound: {
    kinds: BLOCKER,
    meaning: 'a ConfigMap or Secret that the pods need was not found',
    actor: 'workloadOwner',
    remedy: 'create it, or make the reference optional',
  },
  ConfigUnreadable: {
    kinds: BLOCKER,
    meaning: 'a ConfigMap or Secret cannot be read or watched',
    actor: 'clusterAdmin',
    remedy: ({ object }) => {
      const what = object ? `${object.kind}s${inNamespace(object)}` : 'it';
      const instead = object?.kind === 'Secret' ? ', or choose --secrets-mode=off' : '';
      return `allow the service account of Serin to get, list and watch ${what}${instead}; if it is allowed, wait for the API server`;
    },
  },
  ConfigCopyRejected: {
    kinds: BLOCKER,
    meaning: 'the copy of a ConfigMap or Secret for the primary cannot be made',
    actor: 'clusterAdmin',
    remedy: (about) => withDetail('remove what refuses the copy', about),
  },
  NameTaken: {
    kinds: BLOCKER,
    meaning: 'an object of this name has another owner',
    actor: 'objectOwner',
    remedy: ({ object, field }) =>
      `rename or remove it${object && field !== adoptField ? '' : `, or annotate it ${adoptAnnotation}=true to hand it over`}`,
    look: lookAtObject,
  },
  KindNotFound: {
    kinds: BLOCKER,
    meaning: 'a CustomResourceDefinition is missing',
    actor: 'clusterAdmin',
    remedy: detailOr('install the CustomResourceDefinition that the message names; the release goes on by itself'),
  },
  Forbidden: {
    kinds: BLOCKER,
    meaning: 'Serin lacks a permission',
    actor: 'clusterAdmin',
    remedy: 'grant it to the service account of Serin, by a Role or ClusterRole',
  },
  QuotaExceeded: {
    kinds: BLOCKER,
    meaning: 'a quota is too small for an object that Serin creates',
    actor: 'clusterAdmin',
    remedy: 'ask the owner of the quota to raise it',
    look: 'kubectl describe resourcequota OBJECT -n NAMESPACE',
  },
  ApiRejected: {
    kinds: BLOCKER,
    meaning: 'the API server or an admission rule refuses an object',
    actor: 'clusterAdmin',
    remedy: 'ask the owner of the rule that rejects it to correct the rule or make an exception',
  },
  NamespaceUnavailable: {
    kinds: BLOCKER,
    meaning: 'the namespace of an object does not exist, or is being deleted',
    actor: 'clusterAdmin',
    remedy: ({ object }) =>
      `create ${object ? `namespace ${object.name}` : 'the namespace again when it is gone'}, or correct the field that names it; the release goes on by itself`,
    look: 'kubectl get namespace OBJECT',
  },
  ScalerNotFound: {
    kinds: BLOCKER,
    meaning: 'the scaler that spec.autoscalerRef names does not exist',
    actor: 'workloadOwner',
    remedy: 'create it, or correct the name',
  },
  TemplateLeftover: {
    kinds: BLOCKER,
    meaning: 'another controller puts a field back into the primary',
    actor: 'objectOwner',
    remedy: 'stop another controller or webhook from putting it back',
    look: 'kubectl get KIND OBJECT -n NAMESPACE -o yaml --show-managed-fields',
  },
  NoPromotedTemplate: {
    kinds: BLOCKER,
    meaning: 'the last promoted template is not recorded any more',
    actor: 'workloadOwner',
    remedy: 'push a good revision to the target',
  },
  Other: {
    kinds: BLOCKER,
    meaning: 'another reason, given in the message',
    actor: 'objectOwner',
    remedy: 'do what the message says',
  },

  // Routes.
  RouteRejected: {
    kinds: BLOCKER,
    meaning: 'the traffic provider cannot express the routes of the spec',
    actor: 'canaryOwner',
    remedy: (about) => withDetail('change the strategy, the match or the provider', about),
    look: editCanary,
  },
  RouteMissing: {
    kinds: BLOCKER,
    meaning: 'a route that the spec lists is not found, and gets no share',
    actor: 'objectOwner',
    remedy: ({ object }) => `create ${object ? `${object.kind} ${object.name}` : 'it'}, or take it out of spec.routeRefs`,
    look: lookAtObject,
    usualCauses: 'a name of `spec.routeRefs` is misspelt, or the route is applied after the Canary',
    page: 'traffic.md',
  },
  RouteUnconfirmed: {
    kinds: BLOCKER,
    meaning: 'the routes are written, and the traffic provider has not accepted them',
    actor: 'objectOwner',
    unnamed: 'clusterAdmin',
    remedy: ({ object }) =>
      object
        ? `correct ${object.kind} ${object.name}, or what it refers to`
        : 'ask the administrator of the cluster whether the controller of the traffic provider runs',
    look: lookAtObject,
  },
  RouteContested: {
    kinds: BLOCKER,
    meaning: 'another writer changes the routes back, which Serin corrects after growing pauses',
    actor: 'objectOwner',
    remedy: 'take the field out of what the other writer applies, or set spec.suspend: true to stop Serin',
    look: lookAtObject,
  },

  // The two sides.
  PodsNotReady: {
    kinds: BLOCKER,
    meaning: 'the pods of the target or the primary are not ready',
    actor: 'workloadOwner',
    remedy: 'find out why a pod is not ready, and push a version that becomes ready',
    look: describeObject,
  },
  RolloutStalled: {
    kinds: BLOCKER_AND_ENDING,
    meaning: 'the rollout has failed, or exceeded its own deadline',
    actor: 'workloadOwner',
    remedy: ({ object }) =>
      `push a version whose pods become ready: only an edit starts the rollout of ${object?.name ?? 'the workload'} again`,
    look: rolloutStatus,
    ended: { outcome: 'rolledBack', remedy: CORRECT, isOfVersion: true },
  },
  TargetUnreachable: {
    kinds: BLOCKER_AND_ENDING,
    meaning: 'the target lacks a label or a port by which its primary is reached, so that its pods would get no request',
    actor: 'workloadOwner',
    remedy: (about) =>
      `correct ${about.field ?? 'the field that the message names'} of ${objectIn(about, 'the target')}, or create it again if it cannot be changed`,
    look: lookAtObject,
    usualCauses:
      'the target was deleted and created with other labels in its selector, or its container lost the port that `spec.service.targetPort` names',
    page: 'targets.md',
    ended: {
      outcome: 'rolledBack',
      remedy: 'correct FIELD of TARGET, or create it again if it cannot be changed: it is released then by itself',
    },
  },
  InsufficientCapacity: {
    kinds: BLOCKER_AND_ENDING,
    meaning: 'the side that gets more load does not have enough pods yet',
    actor: 'clusterAdmin',
    remedy: 'ask the administrator of the cluster for more capacity',
    ended: { outcome: 'rolledBack', remedy: `ask the administrator of the cluster for more capacity, ${AGAIN}` },
  },
  PrimaryUnavailable: {
    kinds: BLOCKER,
    meaning: 'the primary does not serve',
    actor: 'workloadOwner',
    remedy: 'correct what keeps the pods of the primary from serving',
    look: rolloutStatus,
  },
  PrimaryRejected: {
    kinds: EVENT_AND_BLOCKER,
    meaning: 'the primary could not be written',
    actor: 'clusterAdmin',
    remedy: 'remove what refuses the primary: the reason names it',
    look: 'kubectl get KIND OBJECT -n NAMESPACE -o yaml --show-managed-fields',
    usualCauses: 'an admission webhook or a quota refuses the primary, or another controller adds fields to it',
  },
  PrimaryMissing: {
    kinds: CAUSE,
    meaning: 'the primary does not exist',
    actor: 'serinAdmin',
    remedy: 'wait until Serin has made it; if it does not appear, read the log of the controller',
  },
  ScaledToZero: {
    kinds: CAUSE,
    meaning: 'the workload was scaled to zero',
    actor: 'workloadOwner',
    remedy: (about) => `scale ${objectIn(about, 'it')} up`,
    command: 'kubectl scale KIND/OBJECT -n NAMESPACE --replicas=1',
  },
  RolloutPaused: {
    kinds: CAUSE,
    meaning: 'the rollout of the workload is paused',
    actor: 'workloadOwner',
    remedy: (about) => `set spec.paused of ${objectIn(about, 'the workload')} to false`,
    command: 'kubectl rollout resume KIND/OBJECT -n NAMESPACE',
  },
  PodsRefused: {
    kinds: CAUSE,
    meaning: 'a quota or an admission rule refuses the pods',
    actor: 'clusterAdmin',
    remedy: 'raise the quota, or correct the field that the admission rule names',
    look: describeObject,
  },
  Unschedulable: {
    kinds: CAUSE,
    meaning: 'no node has enough free resources for a pod, or none matches its constraints',
    actor: 'clusterAdmin',
    remedy: 'ask the administrator of the cluster for more capacity, or lower the requests in the pod template',
    look: describeObject,
  },
  ImageUnavailable: {
    kinds: CAUSE,
    meaning: 'an image cannot be pulled',
    isOfVersion: true,
    actor: 'workloadOwner',
    remedy: 'correct the image in the pod template, or the credentials for its registry',
    look: describeObject,
  },
  ContainerConfig: {
    kinds: CAUSE,
    meaning: 'a container cannot be made: something that it reads is missing',
    actor: 'workloadOwner',
    remedy: 'create what the container reads, or correct its reference in the pod template',
    look: describeObject,
  },
  OutOfMemory: {
    kinds: CAUSE,
    meaning: 'a container exceeded its memory limit',
    isOfVersion: true,
    actor: 'workloadOwner',
    remedy: 'raise the memory limit of the container in the pod template, or push a version that takes less',
    look: logs,
  },
  CrashLoop: {
    kinds: CAUSE,
    meaning: 'a container has crashed, and is started again',
    isOfVersion: true,
    actor: 'workloadOwner',
    remedy: 'read the logs of the container and push a version that starts',
    look: `${logs} --previous`,
  },
  ProbeFails: {
    kinds: CAUSE,
    meaning: 'a container runs and is not ready',
    isOfVersion: true,
    actor: 'workloadOwner',
    remedy:
      'read the logs of the container: push a version that becomes ready, correct its readinessProbe, or raise spec.progressDeadlineSeconds of the Canary if it starts slowly',
    look: logs,
  },
  NodeNotReady: {
    kinds: CAUSE,
    meaning: 'the node of a pod no longer reports: its kubelet or its machine is down, so the pod counts as not ready',
    actor: 'clusterAdmin',
    remedy: 'repair the node; if it is gone for good, delete its Node object, so that its pods are replaced elsewhere',
    look: describeObject,
  },
  PodGated: {
    kinds: CAUSE,
    meaning: 'a scheduling or readiness gate of a pod is not open yet',
    actor: 'clusterAdmin',
    remedy: 'ask the owner of this gate (a queue of the cluster, or the controller of a load balancer) what it waits for',
    look: describeObject,
  },
  PodsStarting: {
    kinds: CAUSE,
    meaning: 'pods are starting',
    actor: 'byItself',
    remedy: 'wait; if that lasts, the events of the pod say what it waits for',
    look: describeObject,
  },
  NotYetAvailable: {
    kinds: CAUSE,
    meaning: 'pods are ready, and count only after spec.minReadySeconds',
    actor: 'workloadOwner',
    remedy: 'wait; make spec.minReadySeconds shorter than progressDeadlineSeconds of the Canary, or that longer',
  },
  Restoring: {
    kinds: CAUSE,
    meaning: 'a promotion failed and the last promoted template is restored in the primary',
    actor: 'workloadOwner',
    remedy: 'wait until the primary is ready again, then push a corrected target',
  },
  Unreadable: {
    kinds: CAUSE,
    meaning: 'these credentials may not read the object that the release waits for',
    actor: 'clusterAdmin',
    remedy: ({ object: { kind, namespace } = { kind: '', name: '' } }) =>
      `get the right to read ${kind === '' ? 'it' : `${kind}s in ${namespace}`}, or ask the administrator of the cluster: without it nothing more is known`,
    look: 'kubectl auth can-i get KINDs -n NAMESPACE',
  },

  // Hooks and checks.
  GateClosed: {
    kinds: EVENT_AND_BLOCKER,
    meaning: 'a confirmation hook holds the release',
    actor: 'gateOwner',
    remedy: ({ webhook }) => `ask the owner of the gate ${webhook ?? 'that the message names'} to open it`,
    look: status,
    usualCauses: 'the receiver of a confirmation hook denies, or answers 204 or an error',
  },
  HookRejected: {
    kinds: BLOCKER_AND_ENDING,
    meaning: 'a webhook does not let the release pass',
    actor: 'gateOwner',
    remedy: ({ webhook }) => `ask the owner of ${webhook ?? 'the webhook'} to let it pass`,
    look: status,
    ended: {
      outcome: 'rolledBack',
      remedy: `ask the owner of WEBHOOK what it refuses, and push a corrected TARGET; ${RETRY}`,
      isOfVersion: true,
    },
  },
  WebhookUnreachable: {
    kinds: ['event', 'blocker', 'cause', 'ending'],
    meaning: 'a webhook gives no answer, or cannot be called',
    actor: 'gateOwner',
    remedy: ({ webhook = 'the webhook', field }) =>
      `correct ${field ?? 'its url'} in the Canary, or ask the owner of ${webhook} to restore it; serin promote passes a confirm-rollout or confirm-promotion gate without it`,
    look: status,
    usualCauses:
      'a misspelt host or port, a Service without pods, a NetworkPolicy, a certificate that has expired or is for another name, a Secret that is missing, an address that `--allowed-addresses` does not list',
    page: 'webhooks.md#a-webhook-that-cannot-be-reached',
    ended: { outcome: 'rolledBack', remedy: `correct FIELD, or ask the owner of WEBHOOK to restore it, ${AGAIN}` },
  },
  CheckFailed: {
    kinds: EVENT_AND_BLOCKER,
    meaning: 'a check failed and was counted; the event of the rollback names the failure that ends a release',
    actor: 'workloadOwner',
    remedy: ({ metric }) => `push a version that passes ${metric ?? 'the check'}, or set the target back to the promoted one`,
    look: status,
    usualCauses: 'a metric out of its range, a webhook that refused, or an unmeasured check while `analysis.unmeasured` is `fail`',
  },
  NoTraffic: {
    kinds: BLOCKER,
    meaning: 'no request reached the canary, or the query of a check found nothing',
    actor: 'canaryOwner',
    remedy: ({ metric = 'the check' }) => {
      const send = 'send requests to the canary, or have a webhook of a load test send them';
      return builtIn.includes(metric) ? send : `${send}; if it gets requests, correct the query of ${metric}`;
    },
    look: `${status} -o wide`,
    page: 'metrics.md#a-check-without-a-value',
  },
  TooFewRequests: {
    kinds: BLOCKER,
    meaning: 'the canary got fewer requests than minimumRequests of a check',
    actor: 'canaryOwner',
    remedy: ({ metric = 'the check' }) => `send more requests to the canary, as a load test does, or lower minimumRequests of ${metric}`,
    look: status,
  },
  WorkloadUnknown: {
    kinds: BLOCKER,
    meaning: 'the metrics server knows requests of other workloads, and none of this one',
    actor: 'metricsOwner',
    remedy:
      'send requests to the application; if it gets some, have its pods scraped with the labels that it names, and with the sidecar of the mesh where it has one',
    look: `${status} -o wide`,
    usualCauses:
      'the pods are not part of the mesh, another name of the Service or route, or a scrape configuration without this namespace',
    page: 'metrics.md#a-check-without-a-value',
  },
  LabelsDiffer: {
    kinds: BLOCKER,
    meaning: 'the metrics server has the metric of a check under other labels than the check selects by',
    actor: 'metricsOwner',
    remedy: ({ metric = 'the check' }) =>
      `relabel the metric in the scrape configuration, or replace ${metric} by a MetricTemplate whose query uses the labels that it has`,
    look: `${status} -o wide`,
    usualCauses:
      'a scrape configuration that names them `namespace` and `pod` where the query has `kubernetes_namespace` and `kubernetes_pod_name`, or that lacks `honorLabels`',
    page: 'metrics.md#a-check-without-a-value',
  },
  MetricNotScraped: {
    kinds: BLOCKER,
    meaning: 'the metrics server has no metric of the traffic provider',
    actor: 'metricsOwner',
    remedy: ({ field = '--metrics-server of Serin' }) =>
      `have the metrics server scrape it, or correct its address in ${field}; a metric of a mesh also begins with the first request`,
    look: `${status} -o wide`,
    usualCauses: 'the address of another Prometheus, a provider that is not scraped, or another `spec.provider` than the cluster has',
    page: 'metrics.md#a-check-without-a-value',
  },
  QueryEmpty: {
    kinds: BLOCKER,
    meaning: 'the query of a check found nothing, and another check of the same moment counted requests',
    actor: 'canaryOwner',
    remedy: ({ metric = 'the check' }) => `correct the query of ${metric}, or give it a longer interval`,
    look: `${status} -o wide`,
    page: 'metrics.md#a-check-without-a-value',
  },
  TemplateNotFound: {
    kinds: BLOCKER,
    meaning: 'a MetricTemplate does not exist',
    actor: 'canaryOwner',
    remedy: 'create the MetricTemplate, or correct templateRef of the metric',
  },
  SecretNotFound: {
    kinds: REFINED,
    meaning: 'a Secret with credentials of a metrics server does not exist',
    actor: 'metricsOwner',
    remedy: 'create the Secret, or correct its name',
  },
  SecretRejected: {
    kinds: REFINED,
    meaning: 'the field that names a Secret with credentials of a metrics server is not allowed to use it',
    actor: 'metricsOwner',
    remedy: (about) => withDetail('allow the Secret, or name another', about),
  },
  QueryInvalid: {
    kinds: BLOCKER,
    meaning: 'a MetricTemplate or a query is invalid',
    actor: 'canaryOwner',
    remedy: (about) => {
      const { object, field, metric } = about;
      const isQuery = field === 'spec.query' || object === undefined || field === undefined;
      return withDetail(
        `correct ${isQuery ? `the query of ${metric ?? 'the check'}` : `${field} of ${object.kind} ${object.name}`}`,
        about,
      );
    },
  },
  Unmeasured: {
    kinds: EVENT_AND_BLOCKER,
    meaning: 'a check cannot be measured: its backend gives no usable answer',
    actor: 'metricsOwner',
    remedy: ({ metric = 'the check', object, field }) =>
      `ask the owner of the metrics to restore them; correct ${field === undefined ? `the address or credentials of ${metric}` : `${field}${object ? ` of ${object.kind} ${object.name}` : ''}`} if ${field === undefined ? 'they are' : 'it is'} wrong`,
    look: status,
    usualCauses: 'the metrics server does not answer, its answer is empty, or a MetricTemplate is missing',
  },
  InsufficientEvidence: {
    kinds: BLOCKER,
    meaning: 'the comparison with the primary has not shown yet that the canary is not worse than tolerated',
    actor: 'canaryOwner',
    remedy:
      'send more requests to the canary, as a load test does, to decide earlier; without them the release continues when maxStepDuration is over',
    look: `${status} -o wide`,
    page: 'comparison.md',
  },
  ComparedWorse: {
    kinds: EVENT_AND_ENDING,
    meaning: 'by analysis.comparison the canary is worse than the primary; in shadow mode the release goes on',
    actor: 'workloadOwner',
    remedy: 'compare both sides and their counts; set analysis.comparison.mode: gate where such a version should be rolled back',
    look: status,
    usualCauses:
      'the new version fails more often, or answers more slowly, than the primary at the same time; or it got one bad node, or one user whose requests always fail',
    page: 'comparison.md',
    ended: { outcome: 'rolledBack', remedy: CORRECT, isOfVersion: true },
  },
  PrimaryFailing: {
    kinds: EVENT,
    meaning: 'the primary itself fails more than its canary could explain; the release goes on',
    actor: 'workloadOwner',
    remedy: 'find out why the primary fails: the canary is only compared with it, so that its own failures do not count against the canary',
    look: status,
    usualCauses: 'a dependency of both versions, a bad node, or a version that failed before this release',
  },
  MetricsUnavailable: {
    kinds: EVENT,
    meaning: 'the backend of a metric cannot be queried; initialization continues, and the first release would be unmeasured',
    actor: 'metricsOwner',
    remedy: 'correct what the message names before the first release; Serin tries again when the Canary is edited',
    usualCauses: 'a wrong address, credentials that are refused, a MetricTemplate or Secret that is missing, a backend that is down',
  },

  // The course of a release.
  Initialized: {
    kinds: EVENT,
    meaning: 'the primary serves, and the target has no traffic',
    actor: 'noAction',
    remedy: none,
    usualCauses: 'a new Canary whose primary became ready',
  },
  PrimaryDelayed: {
    kinds: EVENT,
    meaning: 'the primary is not ready within the progress deadline; the target keeps serving',
    actor: 'workloadOwner',
    remedy: 'correct the target, the primary follows',
    look: why,
    usualCauses:
      'an image or volume that is not available, a full cluster, a quota, a readiness probe that fails, an anti-affinity that two copies cannot satisfy',
  },
  NewRevision: {
    kinds: EVENT,
    meaning: 'a changed target was found and its release begins',
    actor: 'noAction',
    remedy: none,
    look: watchCanary,
    usualCauses: 'the pod template of the target was edited',
  },
  HookPassed: {
    kinds: EVENT,
    meaning:
      'a hook or gate let the release continue, a rollback hook requested its rollback, or a post-rollout hook acknowledged its result',
    actor: 'noAction',
    remedy: none,
    usualCauses: 'the receiver of a confirmation, pre-rollout, rollback or post-rollout hook approves',
  },
  WeightAdvanced: {
    kinds: EVENT,
    meaning: 'the canary moved to its next weight',
    actor: 'noAction',
    remedy: none,
    usualCauses: 'all checks of an interval passed',
  },
  IterationAdvanced: {
    kinds: EVENT,
    meaning: 'an A/B or blue/green release began its next iteration',
    actor: 'noAction',
    remedy: none,
    usualCauses: 'all checks of an interval passed',
  },
  CanaryUnavailable: {
    kinds: EVENT,
    meaning: 'the canary has no serving pods and its traffic went to the primary',
    actor: 'workloadOwner',
    remedy: 'find out why its pods are not ready, and push a version that becomes ready',
    look: why,
    usualCauses: 'the pods of the new version crash, lost their node, or were scaled to zero',
  },
  CanaryRecovered: {
    kinds: EVENT,
    meaning: 'the canary serves again and receives its traffic again',
    actor: 'noAction',
    remedy: none,
    usualCauses: 'the pods of the new version are ready again',
  },
  Promoting: {
    kinds: EVENT,
    meaning: 'the analysis passed and the primary is being written',
    actor: 'noAction',
    remedy: none,
    look: rolloutStatus,
    usualCauses: 'the last step passed, or `skipAnalysis` is set',
  },
  TrafficShifted: {
    kinds: EVENT,
    meaning: 'traffic moved from the canary to the promoted primary',
    actor: 'noAction',
    remedy: none,
    usualCauses: '`stepWeightPromotion` returns traffic in steps',
  },
  Succeeded: {
    kinds: EVENT_AND_ENDING,
    meaning: 'the release is complete',
    actor: 'noAction',
    remedy: none,
    usualCauses: 'the primary serves the new revision with all traffic',
    ended: { outcome: 'promoted', remedy: NEXT },
  },
  Failed: {
    kinds: ['event', 'cause'],
    meaning: 'the release was rolled back',
    actor: 'workloadOwner',
    remedy: (about) => `push a corrected ${objectIn(about, 'target')}; if the version is good, release it again with serin retry`,
    look: status,
    usualCauses: 'too many failed checks, pods that were not ready in time, or a rollback hook',
  },
  PromotionFailed: {
    kinds: EVENT_AND_ENDING,
    meaning: 'the primary did not become ready; its last promoted template is restored',
    actor: 'workloadOwner',
    remedy: 'wait until the primary is restored, then push a fix; traffic stays with the side that serves',
    look: rolloutStatus,
    usualCauses: 'resources that only the primary needs: capacity for two copies, a volume, a quota',
    ended: {
      outcome: 'promotionFailed',
      remedy: 'correct what keeps the pods of the primary from becoming ready, then push a corrected TARGET',
      isOfVersion: true,
    },
  },
  Superseded: {
    kinds: EVENT_AND_ENDING,
    meaning: 'a newer revision took the place of this one',
    actor: 'noAction',
    remedy: none,
    look: watchCanary,
    usualCauses: 'the target was edited again during its release',
    ended: { outcome: 'superseded', remedy: 'none needed: the newer revision is released' },
  },
  Cancelled: {
    kinds: EVENT_AND_ENDING,
    meaning: 'the target is back at the promoted revision',
    actor: 'noAction',
    remedy: none,
    usualCauses: 'the edit of the target was reverted during its release',
    ended: { outcome: 'cancelled', remedy: NEXT },
  },
  RequestCompleted: {
    kinds: EVENT,
    meaning: 'the verb that a user requested is done, or has begun',
    actor: 'noAction',
    remedy: none,
    usualCauses: '`serin promote`, `rollback`, `pause`, `resume`, `retry` or `undo`',
  },
  RequestRejected: {
    kinds: EVENT,
    meaning: 'the verb that a user requested is not possible now; nothing was done',
    actor: 'canaryOwner',
    remedy: 'try again in a phase that allows the verb',
    look: status,
    usualCauses: 'the phase does not allow the verb, or an object that the message names blocks it',
    page: 'verbs.md',
  },

  // States of a release that nothing holds, and of a controller.
  Propagating: {
    kinds: CAUSE,
    meaning: 'the proxies are given time to learn of a change',
    actor: 'byItself',
    remedy: 'nothing to do: it goes on by itself',
  },
  Running: {
    kinds: CAUSE,
    meaning: 'nothing holds it: the next check runs soon',
    actor: 'byItself',
    remedy: 'nothing to do: the next check is awaited',
  },
  Resting: {
    kinds: CAUSE,
    meaning: 'no release is in progress: the next edit of the target starts one',
    actor: 'noAction',
    remedy: 'edit the target to start a release',
  },
  Unseen: {
    kinds: CAUSE,
    meaning: 'no controller has reconciled this Canary or its last change, or a step is overdue',
    actor: 'serinAdmin',
    remedy: 'start the controller, or make its --namespaces and --canary-selector include this Canary',
    look: 'kubectl get deployment -A -l app.kubernetes.io/name=serin',
  },
  Deleting: {
    kinds: CAUSE,
    meaning: 'the Canary is being deleted, and a finalizer keeps it',
    actor: 'serinAdmin',
    remedy:
      'start the controller that set the finalizer: it restores the Service and the target, then removes the finalizer; remove the finalizer of a controller that is gone',
    look: 'kubectl get canary CANARY -n NAMESPACE -o yaml',
  },

  // Messages to receivers.
  Undelivered: {
    kinds: CAUSE,
    meaning: 'messages wait for their receivers',
    actor: 'receiverOwner',
    remedy: 'restore the receivers of alerts and event webhooks',
  },
  DeliveryExpired: {
    kinds: EVENT,
    meaning:
      'a message found no receiver for a day (15 minutes, where the release goes on), or until its Canary was deleted, and was given up',
    actor: 'receiverOwner',
    remedy: 'correct its address; inform the receiver by hand if necessary',
    usualCauses: 'an event webhook, post-rollout hook or alert receiver was down for 24 hours, or when the Canary was deleted',
  },
  HookFailed: {
    kinds: EVENT,
    meaning: 'a post-rollout hook or an event webhook failed; it is tried again, unless it was refused with a status of 400 to 499',
    actor: 'receiverOwner',
    remedy: 'correct what the message names; inform a receiver that has refused by hand',
    usualCauses: 'a wrong url, or a receiver that refuses the call, is down or is too slow',
  },
  AlertFailed: {
    kinds: EVENT,
    meaning: 'a receiver did not take an alert; it is tried again',
    actor: 'receiverOwner',
    remedy: 'correct what the message names: the next attempt reads it again',
    usualCauses:
      'an AlertProvider or its Secret that is missing, a revoked address or token, a channel that is gone, a chat service that is down',
  },

  // Warnings: the release continues.
  AddressRejected: {
    kinds: WARNING,
    meaning: 'an address of a webhook or metrics server belongs to this pod or node, or to a metadata service, and is not called',
    actor: 'canaryOwner',
    remedy:
      'give the address of a Service; or, for a sidecar of Serin, have its administrator list the address in --allowed-local-addresses (allowedLocalAddresses in the chart)',
    look: editCanary,
    usualCauses: 'a webhook, `spec.metricsServer` or a MetricTemplate at `localhost` or `127.0.0.1`, which earlier versions called',
    page: 'metrics.md#who-may-be-called',
  },
  ConfigUnwatched: {
    kinds: WARNING,
    meaning: 'some ConfigMaps or Secrets of the target are read when a release starts, and not watched; the release goes on',
    actor: 'clusterAdmin',
    remedy:
      'grant list and watch without resourceNames in that namespace; until then a change of what the message names counts from the next release on',
    usualCauses:
      'the targets of one namespace read more than 100 ConfigMaps or Secrets, and the role of Serin grants them by `resourceNames`',
  },
  CompanionMissing: {
    kinds: WARNING,
    meaning: 'an object that applies to the target has no companion for its primary, or it is not known whether there is one',
    actor: 'clusterAdmin',
    remedy:
      'grant the service account of Serin what the message names, or write the object for the primary; or switch the kind off by `companions` in the chart',
    usualCauses:
      'a role of an earlier version, without rules on PodDisruptionBudgets, NetworkPolicies or VerticalPodAutoscalers; an admission policy or a quota that refuses the companion',
  },
  PodsUnwatched: {
    kinds: WARNING,
    meaning: 'the pods of a canary cannot be watched during its release, so that crashes count only by the time for which it is not ready',
    actor: 'clusterAdmin',
    remedy:
      'grant list and watch on pods in that namespace, or install the chart of this version; the release goes on, and ends when its canary was not ready for the progress deadline in all',
    usualCauses: 'the role of Serin lacks `list` and `watch` on `pods`, as a role of an earlier version does',
  },
  FieldIgnored: {
    kinds: WARNING,
    meaning: 'a field of the spec has no effect with this provider, or counts as another value; the release goes on',
    actor: 'canaryOwner',
    remedy: 'remove or correct the field that the message names',
    look: editCanary,
    usualCauses:
      'a field that the traffic provider cannot express, a weight above 100, an interval that is not a duration: `serin validate -f FILE` finds it before it is applied',
  },
  ProviderDeprecated: {
    kinds: WARNING,
    meaning: 'the upstream of the traffic provider has ended; the release goes on',
    actor: 'clusterAdmin',
    remedy: 'plan the move that the message names: nothing is held up, but that provider gets no more fixes',
    usualCauses: '`appmesh`, `appmesh:v1beta2`, `kuma` or `osm`, by `spec.provider` or `--mesh-provider`',
  },
  ScalerWarning: {
    kinds: WARNING,
    meaning: 'the scaler of the primary can scale differently from the scaler of the target',
    actor: 'workloadOwner',
    remedy: 'set spec.autoscalerRef.primaryScalerQueries, or correct the scaler as the message says',
    usualCauses:
      'a KEDA query that does not name the target, names the primary already, or is chosen by `metadata.name`; a scaler of something else',
  },
  ServiceTrafficRejected: {
    kinds: WARNING,
    meaning: 'the cluster refuses a field by which the Services steer traffic; the release continues without it',
    actor: 'canaryOwner',
    remedy: 'correct or remove the field of spec.service that the message names; after an upgrade of the cluster, restart Serin',
    look: editCanary,
    usualCauses:
      'a `trafficDistribution` that this cluster does not know: `PreferSameNode` on an older one, or `DOMAIN/NAME`; any such field beside a Knative target, which makes its Services itself',
  },
  TargetScaledUp: {
    kinds: WARNING,
    meaning: 'another writer has scaled the resting target up; its pods get no traffic and are left alone',
    actor: 'workloadOwner',
    remedy:
      'take spec.replicas out of the manifest, then scale the target to zero; or leave the pods, which get no traffic; without spec.autoscalerRef the next promotion gives the primary as many',
    usualCauses:
      'a manifest with `spec.replicas` that Git, Helm or a GitOps tool applies again; an autoscaler that `spec.autoscalerRef` does not name',
  },
  StatusTruncated: {
    kinds: WARNING,
    meaning: 'the status would be larger than 256 KiB, and is stored without the parts that the message names',
    actor: 'canaryOwner',
    remedy:
      'use fewer or shorter ones; the release continues, and only serin status lacks what was left out, except for the routes of a spec that was edited while a release is under way, and for old deliveries: inform their receivers by hand if necessary',
    look: editCanary,
    usualCauses:
      'many metrics, webhooks or alerts with long names; receivers of alerts that do not answer; a very long `spec.service`; a status that was edited by hand',
  },
  RouteWarning: {
    kinds: EVENT,
    meaning: 'a route cannot do all that it says with the current Services; reported on the route itself',
    actor: 'objectOwner',
    remedy: 'correct the Service or the split that the message names',
    look: describeObject,
    usualCauses: 'a backend of a TrafficSplit lacks a port of the root Service, or is the root of another split',
  },
  DriftCorrected: {
    kinds: EVENT,
    meaning:
      'another writer had changed or deleted an object that Serin keeps, and it was put back; in a route that its user wrote the change is kept, and the application is split again',
    actor: 'objectOwner',
    remedy:
      'make the change in the Canary or its target; spec.suspend: true keeps changes by hand. If it is changed again, the condition Contested names the writer',
    usualCauses: 'a change by hand, or by a tool, of a Service, route, scaler or replicas that Serin keeps',
  },
  Contested: {
    kinds: WARNING,
    meaning: 'another writer changes a field back again and again, which Serin corrects after growing pauses',
    actor: 'objectOwner',
    remedy:
      'take the field out of what the other writer applies, or set spec.suspend: true to stop Serin. On an event of a Service or route its primary is kept, and the message names the next steps',
    usualCauses: 'a GitOps tool or a controller that applies a field which Serin keeps',
  },
  FieldDropped: {
    kinds: CONDITION,
    meaning: 'the cluster stores an object without a field that Serin writes',
    actor: 'clusterAdmin',
    remedy: 'exclude the object from the webhook, or update its CustomResourceDefinition',
    usualCauses: 'an admission webhook, or a CustomResourceDefinition of an older version',
  },
  HandedOver: {
    kinds: EVENT,
    meaning:
      'the target of a deleted Canary is ready and gets the traffic, and its kept primary is removed; reported on target and Service',
    actor: 'noAction',
    remedy: 'nothing to do; the message says what has ended it',
    usualCauses: 'a push, the promoted revision, or `serin accept`',
    page: 'install.md#deleting-a-canary',
  },
  PrimaryKept: {
    kinds: EVENT,
    meaning:
      'the Canary was deleted while its target held an unpromoted revision: the primary keeps serving; reported on target and Service',
    actor: 'workloadOwner',
    remedy: 'push a good version, create the Canary again, or hand over the current target with serin accept',
    look: 'serin list -n NAMESPACE',
    usualCauses: 'a Canary that was deleted after a failed release, in the middle of one, or together with a push',
    page: 'install.md#deleting-a-canary',
  },

  // Ends of a release, which are seen nowhere else.
  AnalysisSkipped: ended('promoted', 'canaryOwner', 'the revision was promoted without an analysis, as `spec.skipAnalysis` says', NEXT),
  PromotedByUser: ended('promoted', 'canaryOwner', 'a user requested the promotion', NEXT),
  ChecksFailed: rolledBackVersion(
    'workloadOwner',
    'checks were out of their range as often as the threshold allows, or not measured where `analysis.unmeasured` is `fail`',
    `push a corrected TARGET; if the version is good, correct the range of METRIC where it is wrong, and ${RELEASE_AGAIN}`,
  ),
  UnmeasuredTooLong: rolledBack('metricsOwner', 'checks could not be measured for the progress deadline', `restore the metrics, ${AGAIN}`),
  PodsFailing: rolledBackVersion(
    'workloadOwner',
    'the pods of the canary crashed, or lost their readiness, as often as the threshold allows',
    CORRECT,
  ),
  NotReadyInTime: rolledBackVersion(
    'workloadOwner',
    'the canary was not ready for the progress deadline',
    `push a corrected TARGET, or raise spec.progressDeadlineSeconds if it starts slowly; ${RETRY}`,
  ),
  PodsNotStopped: rolledBack(
    'workloadOwner',
    'pods that have read old configs did not stop within the progress deadline',
    `find what keeps the pods of TARGET from ending; ${RETRY}`,
  ),
  UnroutableTooLong: rolledBack(
    'canaryOwner',
    'the routes could not be written for the progress deadline',
    `correct what the message names, ${AGAIN}`,
  ),
  RefusedTooLong: rolledBack(
    'canaryOwner',
    'the spec was refused for so long that the canary could not be checked any longer',
    `correct FIELD, ${AGAIN}`,
  ),
  GateTimeout: rolledBack(
    'gateOwner',
    'a gate was closed, or could not be reached, for `analysis.gateTimeout`',
    `ask the owner of WEBHOOK to open it, or raise spec.analysis.gateTimeout, ${AGAIN}`,
  ),
  RolledBackByHook: rolledBackVersion('gateOwner', 'a rollback hook requested it', `ask the owner of WEBHOOK why; ${CORRECT}`),
  RolledBackByUser: rolledBackVersion('canaryOwner', 'a user requested it', CORRECT),
  Unrecorded: rolledBackVersion('workloadOwner', 'an earlier version of Serin ended it, and recorded only a sentence', CORRECT),
} as const satisfies Readonly<Record<string, Code>>;
