import type { BlockedObject, NewBlocker } from '../../src/api/blocker.ts';
import type { Canary, HookType } from '../../src/api/canary.ts';
import type { Delivery, UnmeasuredCode, Verdict } from '../../src/api/canary-status.ts';
import type { BlockerCode, WaitCode } from '../../src/api/codes/codes.ts';
import type { Facts, RefusalCode } from '../../src/engine/facts.ts';
import type { Announcement } from '../../src/engine/reasons.ts';
import { releasing as comparing, counting } from './compared-release.ts';
import { at, releasing, steps } from './releasing.ts';
import { verdict } from './stalled-release.ts';
import { aCanary, initialized, World, withHooks } from './world.ts';

/** Steps of a release into a wait, and out of it. */
export interface Waiting {
  before(): World;
  /** Begins the wait: from here on all events and alerts belong to it. */
  begin(world: World): void;
  /** Follows the remedy, or lets the time pass if no user must act. */
  follow(world: World): void;
}

const podinfo: BlockedObject = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'podinfo', namespace: 'test' };
const podinfoPrimary: BlockedObject = { ...podinfo, name: 'podinfo-primary' };
const settings: BlockedObject = { apiVersion: 'v1', kind: 'ConfigMap', name: 'settings', namespace: 'test' };
const route: BlockedObject = { apiVersion: 'networking.istio.io/v1', kind: 'VirtualService', name: 'podinfo', namespace: 'test' };
const template: BlockedObject = { apiVersion: 'flagger.app/v1beta1', kind: 'MetricTemplate', name: 'errors', namespace: 'test' };

const looked = (world: World, change: () => void): void => {
  change();
  world.sendFacts();
};
const pushed = (world: World): void => world.push('s1:c');
const passing = (isDone: (world: World) => boolean) => (world: World) => world.tickUntil(isDone);

/** An edit of the spec that cannot be run. */
const refused = (reason: RefusalCode, message: string, field?: string, object?: BlockedObject): Waiting => ({
  before: releasing,
  begin: (world) =>
    looked(world, () => {
      world.behaviour.refused = { reason, message, ...(field && { field }), ...(object && { object }) };
    }),
  follow: (world) => looked(world, () => delete world.behaviour.refused),
});

/** Something that refuses an object of the release. */
const blocked = (code: BlockerCode, about: Omit<NewBlocker, 'code'>): Waiting => ({
  before: releasing,
  begin: (world) =>
    looked(world, () => {
      world.behaviour.blocker = { code, ...about };
    }),
  follow(world) {
    delete world.behaviour.blocker;
    world.settle();
  },
});

const NO_HOST = 'no answer from gate.shop: the name of its host does not exist (ENOTFOUND)';

const refusing = (type: HookType, answer: Partial<World['behaviour']> = { words: 'the change window is closed' }): Waiting => ({
  before: () => initialized(aCanary({ ...steps, ...withHooks(type) })),
  begin(world) {
    Object.assign(world.behaviour, { ...answer, hooks: { [type]: 'refused' } });
    world.pushUntil('s1:b', ({ release }) => release.refusedBy !== undefined);
  },
  follow(world) {
    world.behaviour.hooks[type] = 'passed';
    world.tickUntil(({ release }) => release.refusedBy === undefined);
  },
});

/** A check that cannot be measured. */
const unmeasured = (code: UnmeasuredCode, about: Pick<Verdict, 'object' | 'field' | 'query' | 'reason'> & { check?: string }): Waiting => ({
  before: () => releasing({ unmeasured: 'hold' }),
  begin(world) {
    world.behaviour.verdicts = [verdict({ verdict: 'unmeasured', code, ...about })];
    world.tickUntil(({ release }) => release.blindSinceMs !== undefined);
  },
  follow(world) {
    world.behaviour.verdicts = [verdict({ verdict: 'passed', value: 0.1 })];
    world.tickUntil(({ release }) => release.blindSinceMs === undefined);
  },
});

/** A fact that the world has no field for, until it is rolled back. */
const known = (before: () => World, begin: (facts: Facts) => Facts): Waiting => ({
  before,
  begin(world) {
    const facts = world.facts.bind(world);
    world.facts = () => begin(facts());
    world.sendFacts();
  },
  follow(world) {
    Reflect.deleteProperty(world, 'facts');
    world.settle();
  },
});

/** The target was created again without the label of its primary. */
export function unreachable({ target, ...facts }: Facts): Facts {
  const field = 'spec.selector.matchLabels.app';
  const reason = `Deployment podinfo: ${field} has no app, and its primary is selected by app: podinfo-primary; create it again with app: podinfo there and on its pods`;
  return target
    ? { ...facts, target: { ...target, serving: false, readiness: { ...target.readiness, state: 'waiting', reason, field } } }
    : facts;
}

const idle = (): World => initialized(aCanary(steps));
const nothing = (): void => undefined;
const suspending = (suspend: boolean) => (world: World) =>
  looked(world, () => {
    world.canary = { ...world.canary, spec: { ...world.canary.spec, suspend } } satisfies Canary;
  });

/** A scene for each code; a code without one does not compile. */
export const waiting: Readonly<Record<WaitCode, Waiting>> = {
  InvalidSpec: refused('InvalidSpec', 'spec.analysis.stepWeight: is 0: set it from 1 to 100', 'spec.analysis.stepWeight'),
  UnsupportedByProvider: refused('UnsupportedByProvider', 'spec.analysis.mirror: kubernetes cannot mirror', 'spec.analysis.mirror'),
  CrossNamespaceRef: refused(
    'CrossNamespaceRef',
    'spec.analysis.alerts[0].providerRef.namespace: ops is another namespace, which --no-cross-namespace-refs forbids',
    'spec.analysis.alerts[0].providerRef.namespace',
  ),
  EndpointsWouldBeLost: refused(
    'EndpointsWouldBeLost',
    'Service shop: spec.selector also leads to Deployment blog. To keep it, give Deployment podinfo a Service of its own',
    'spec.selector',
    { apiVersion: 'v1', kind: 'Service', name: 'shop', namespace: 'test' },
  ),
  PolicyWouldBeLost: refused(
    'PolicyWouldBeLost',
    'AuthorizationPolicy shop: spec.selector.matchLabels selects the pods of Deployment podinfo and not those of podinfo-primary',
    'spec.selector.matchLabels',
    { apiVersion: 'security.istio.io/v1', kind: 'AuthorizationPolicy', name: 'shop', namespace: 'test' },
  ),
  TargetTaken: refused('TargetTaken', 'Deployment podinfo is the target of the older Canary test/shop'),
  ForeignController: refused('ForeignController', 'another controller writes the status'),
  CRDOutdated: refused('CRDOutdated', 'the CustomResourceDefinition canaries.flagger.app drops status.release'),
  Suspended: { before: releasing, begin: suspending(true), follow: suspending(false) },
  Paused: {
    before: releasing,
    begin: (world) => world.ask('pause', 'r-1'),
    follow: (world) => world.ask('resume', 'r-2'),
  },
  TargetUnusable: blocked('TargetUnusable', { object: podinfo, field: 'spec.selector', detail: 'its selector has no label app or name' }),
  TargetNotFound: known(idle, ({ target: _, ...facts }) => facts),
  TargetUnobserved: {
    before: idle,
    begin: (world) =>
      looked(world, () => {
        world.undetermined = 'the target has just changed';
      }),
    follow: (world) =>
      looked(world, () => {
        world.undetermined = undefined;
      }),
  },
  ConfigNotFound: blocked('ConfigNotFound', { object: settings }),
  ConfigUnreadable: blocked('ConfigUnreadable', { object: settings, detail: 'cannot be watched: grant list and watch on configmaps' }),
  ConfigCopyRejected: blocked('ConfigCopyRejected', {
    object: { ...settings, name: 'settings-primary' },
    detail: 'the quota object-counts is used up',
  }),
  NameTaken: blocked('NameTaken', { object: podinfoPrimary }),
  KindNotFound: blocked('KindNotFound', { object: route, detail: 'install its CustomResourceDefinition' }),
  Forbidden: blocked('Forbidden', { detail: 'POST deployments: no right to create deployments in the namespace test' }),
  QuotaExceeded: blocked('QuotaExceeded', {
    object: { apiVersion: 'v1', kind: 'ResourceQuota', name: 'pods', namespace: 'test' },
    detail: 'POST deployments: exceeded quota: pods, requested 1, used 10, limited 10',
  }),
  ApiRejected: blocked('ApiRejected', { detail: 'POST deployments: admission webhook "policy" denied the request: no limits' }),
  NamespaceUnavailable: blocked('NamespaceUnavailable', {
    object: { apiVersion: 'v1', kind: 'Namespace', name: 'gateways' },
    detail: 'POST virtualservices: 404 NotFound: namespaces "gateways" not found',
  }),
  ScalerNotFound: blocked('ScalerNotFound', {
    object: { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', name: 'podinfo', namespace: 'test' },
  }),
  TemplateLeftover: blocked('TemplateLeftover', { object: podinfoPrimary, field: 'spec.template.spec.hostNetwork' }),
  NoPromotedTemplate: blocked('NoPromotedTemplate', { object: podinfoPrimary }),
  Other: blocked('Other', { detail: 'the request to the API server timed out: look at its health' }),
  RouteRejected: blocked('RouteRejected', { object: route, detail: 'two routes have the same match: remove one of them' }),
  RouteMissing: blocked('RouteMissing', {
    object: { ...route, apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute', name: 'podinfo-internal' },
    field: 'spec.routeRefs[1]',
    detail: 'routeRefs[1] names HTTPRoute podinfo-internal, which is not found',
  }),
  RouteUnconfirmed: {
    before: releasing,
    begin: (world) =>
      looked(world, () => {
        const object = { ...route, apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute' };
        world.behaviour.unconfirmed = { object, detail: 'HTTPRoute podinfo is not accepted: the listener https does not exist' };
      }),
    follow: (world) => looked(world, () => delete world.behaviour.unconfirmed),
  },
  RouteContested: {
    before: releasing,
    begin: (world) =>
      looked(world, () => {
        world.behaviour.contested = { object: route, detail: 'VirtualService podinfo: spec.http is changed back by argocd' };
      }),
    follow: (world) => looked(world, () => delete world.behaviour.contested),
  },
  PodsNotReady: {
    before: idle,
    begin(world) {
      world.behaviour.brokenCanary.add('s1:b');
      world.push('s1:b');
    },
    follow(world) {
      pushed(world);
      world.tickUntil(at('Progressing', 'analysing'));
    },
  },
  RolloutStalled: {
    before: () => new World(aCanary(steps)),
    begin(world) {
      world.behaviour.brokenPrimary.add('s1:a');
      world.behaviour.stalls = true;
      world.begin();
    },
    follow(world) {
      world.behaviour.brokenPrimary.clear();
      world.settle();
    },
  },
  TargetUnreachable: known(releasing, unreachable),
  InsufficientCapacity: {
    before() {
      const limits = { min: 1, max: 20 };
      const world = initialized(aCanary({ stepWeights: [30] }), (one) => {
        one.scaler = { name: 'HorizontalPodAutoscaler/podinfo', target: limits, primary: limits };
      });
      return Object.assign(world, { primaryReplicas: 10, room: { target: 1, primary: 20 } });
    },
    begin(world) {
      world.pushUntil('s1:b', at('Progressing', 'raising'));
    },
    follow(world) {
      world.room.target = 20;
      world.tickUntil(at('Progressing', 'analysing'));
    },
  },
  PrimaryUnavailable: {
    before: idle,
    begin: (world) =>
      looked(world, () => {
        world.primaryDown = true;
      }),
    follow: (world) =>
      looked(world, () => {
        world.primaryDown = false;
      }),
  },
  PrimaryRejected: {
    before: releasing,
    begin(world) {
      Object.assign(world.behaviour, { refusesPromote: true, words: 'admission webhook "policy" denied the request: no limits' });
      world.tickUntil(({ step, release }) => step === 'writingPrimary' && release.reason !== undefined);
    },
    follow(world) {
      world.behaviour.refusesPromote = false;
      world.tickUntil(({ phase }) => phase === 'Succeeded');
    },
  },
  GateClosed: refusing('confirm-rollout'),
  HookRejected: refusing('pre-rollout'),
  WebhookUnreachable: refusing('confirm-rollout', { words: NO_HOST, unanswered: true }),
  CheckFailed: {
    before: () => releasing({ threshold: 5 }),
    begin(world) {
      world.behaviour.verdicts = [
        verdict({ check: 'errors', value: 7.5, limit: 'at most 1', reason: 'errors: 7.5 is above the maximum of 1' }),
      ];
      world.tick();
    },
    follow(world) {
      world.behaviour.verdicts = [];
      pushed(world);
    },
  },
  NoTraffic: unmeasured('NoTraffic', {
    check: 'request-success-rate',
    reason: 'no request reached the canary in the last minute',
    query: 'sum(rate(istio_requests_total{destination_workload=~"podinfo"}[1m]))',
  }),
  TooFewRequests: unmeasured('TooFewRequests', { reason: '7 requests are too few to judge by, minimumRequests is 100' }),
  WorkloadUnknown: unmeasured('WorkloadUnknown', {
    check: 'request-success-rate',
    reason:
      'the metrics server knows requests of other workloads in namespace test (blog, cart), but none of podinfo or its primary by the labels destination_workload_namespace and destination_workload',
  }),
  LabelsDiffer: unmeasured('LabelsDiffer', {
    check: 'request-success-rate',
    reason:
      'the check selects http_request_duration_seconds_count by the labels kubernetes_namespace and kubernetes_pod_name, and the metrics server has it with instance, job, namespace, pod, status',
  }),
  MetricNotScraped: unmeasured('MetricNotScraped', {
    check: 'request-success-rate',
    reason: 'the metrics server has no metric istio_requests_total of any workload',
  }),
  QueryEmpty: unmeasured('QueryEmpty', {
    reason: 'the query found no series, while request-success-rate counted 40 requests',
    query: 'sum(orders_total{app="podinfo"})',
  }),
  TemplateNotFound: unmeasured('TemplateNotFound', { object: template, reason: 'MetricTemplate test/errors does not exist' }),
  SecretNotFound: unmeasured('SecretNotFound', {
    object: { apiVersion: 'v1', kind: 'Secret', name: 'prometheus', namespace: 'test' },
    reason: 'Secret test/prometheus does not exist',
  }),
  SecretRejected: unmeasured('SecretRejected', {
    object: template,
    field: 'spec.provider.secretRef',
    reason: 'Secret test/prometheus may not be used by a MetricTemplate',
  }),
  QueryInvalid: unmeasured('QueryInvalid', { object: template, field: 'spec.query', reason: 'parse error: unclosed left parenthesis' }),
  Unmeasured: unmeasured('Unmeasured', { reason: 'Prometheus did not answer within 5 seconds' }),
  InsufficientEvidence: {
    before: () => comparing({ mode: 'gate', pace: 'evidence' }, { canary: 0.01, primary: 0.01, perSecond: 1 }),
    begin: passing(({ release }) => release.awaitedEvidence !== undefined),
    follow(world) {
      counting(world, { canary: 0.001, primary: 0.001, perSecond: 10_000 });
      world.tickUntil(({ release }) => release.awaitedEvidence === undefined);
    },
  },
  Propagating: {
    before: () => new World(aCanary(steps)),
    begin(world) {
      world.begin();
      world.tickUntil(at('Initializing', 'settling'));
    },
    follow: passing(at('Initialized', 'resting')),
  },
  Running: { before: releasing, begin: nothing, follow: passing(at('Succeeded', 'resting')) },
  Resting: { before: idle, begin: nothing, follow: (world) => world.push('s1:b') },
  Failed: {
    before: releasing,
    begin(world) {
      world.ask('rollback', 'r-1');
      world.tickUntil(at('Failed', 'resting'));
    },
    follow: pushed,
  },
};

/** A release that waits, with the events and alerts since the wait began. */
export interface WaitingRelease {
  world: World;
  announced: readonly Announcement[];
  deliveries: readonly Delivery[];
}

export function waitingFor(code: WaitCode): WaitingRelease {
  const { before, begin } = waiting[code];
  const world = before();
  const start = world.asked.length;
  const known = new Set(world.listed);
  begin(world);
  const asked = world.asked.slice(start);
  const listed = asked.flatMap((one) => (one.kind === 'record' ? (one.release.deliveries ?? []) : []));
  const fresh = new Map(listed.filter(({ key }) => !known.has(key)).map((one) => [one.key, one]));
  return { world, announced: asked.flatMap((one) => (one.kind === 'announce' ? [one.announcement] : [])), deliveries: [...fresh.values()] };
}
