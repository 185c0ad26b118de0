import type { KubeCluster } from '../../../src/kube/kube-cluster.ts';
import { startSelfHealer } from '../adversity/self-healer.ts';
import type { HookServer } from '../hook-server.ts';
import { until } from '../until.ts';
import { aCanary, aDeployment, aService, canaryRef, makeNamespace, push } from './objects.ts';
import type { Teller } from './told.ts';

export interface Theatre {
  cluster: KubeCluster;
  teller: Teller;
  hooks: HookServer;
  /** Takes requests and never answers. */
  hangingUrl: string;
  /** What plays on until every stall has been told. */
  atEnd(end: () => Promise<void>): void;
}

/** One way for a release to stand still. What is told has to match each of `cause` (why) and `wayOut` (since or until when, who or what helps). */
export interface Stall {
  namespace: string;
  cause: RegExp;
  wayOut: RegExp;
  play(theatre: Theatre): Promise<void>;
}

const APP = 'web';
/** A version that is pushed before the target has gone to zero rolls out beside an old pod, which then stays. */
const UNREADY =
  'Deployment web: (0 of 1 needed pods are available|unavailable pods: 1; until the new ones are available, old ones stay: 1)';
const SINCE = 'since \\d{4}-\\d\\d-\\d\\dT';

/** Namespace, Deployment and Canary, bootstrapped, and a second version pushed. */
async function released(
  { cluster, teller }: Theatre,
  namespace: string,
  { analysis = {}, spec = {}, env = {} }: { analysis?: object; spec?: object; env?: Record<string, string> } = {},
): Promise<void> {
  await begun(cluster, namespace, { analysis, spec });
  await teller.until(namespace, APP, 'Initialized', ({ phase }) => phase === 'Initialized');
  await push(cluster, namespace, APP, '2', env);
}

async function begun(
  cluster: KubeCluster,
  namespace: string,
  { analysis = {}, spec = {}, env = {} }: { analysis?: object; spec?: object; env?: Record<string, string> } = {},
): Promise<void> {
  await makeNamespace(cluster, namespace);
  await cluster.create(aDeployment(namespace, APP, env));
  await cluster.create(aCanary(namespace, APP, analysis, spec));
}

/** A target whose pods read this config. */
async function begunReading(cluster: KubeCluster, namespace: string, source: object): Promise<void> {
  await makeNamespace(cluster, namespace);
  const target = aDeployment(namespace, APP);
  Object.assign(target.spec.template.spec.containers[0], { envFrom: [source] });
  await cluster.create(target);
  await cluster.create(aCanary(namespace, APP));
}

const gate = (hooks: HookServer, type: string, fields: object = {}) => {
  hooks.answers(type, 403);
  return { analysis: { threshold: 50, webhooks: [{ name: `the-${type}`, type, url: hooks.url(type), timeout: '2s', ...fields }] } };
};
const successRate = (fields: object = {}) => [{ name: 'request-success-rate', interval: '4s', thresholdRange: { min: 99 }, ...fields }];
const deployment = (namespace: string, name = APP) => ({ apiVersion: 'apps/v1', kind: 'Deployment', name, namespace });

export const stalls: readonly Stall[] = [
  {
    namespace: 'target-missing',
    cause: /Deployment web of spec\.targetRef, which does not exist/,
    wayOut: new RegExp(`${SINCE}.*create it or correct spec.targetRef`),
    async play({ cluster }) {
      await makeNamespace(cluster, 'target-missing');
      await cluster.create(aCanary('target-missing', APP));
    },
  },
  {
    namespace: 'primary-never-ready',
    cause: /primary of web.*Deployment web-primary: 0 of 1 needed pods are available/,
    wayOut: new RegExp(`${SINCE}.*its owner can fix.*until \\d{4}`),
    play: ({ cluster }) => begun(cluster, 'primary-never-ready', { env: { NEVER_READY: '1' } }),
  },
  {
    namespace: 'target-never-ready',
    cause: new RegExp(`canary to be ready, ${UNREADY}`),
    wayOut: new RegExp(`${SINCE}.*until \\d{4}.*taken back; its owner can correct web`),
    play: (theatre) => released(theatre, 'target-never-ready', { env: { NEVER_READY: '1' } }),
  },
  {
    namespace: 'crashing',
    cause: new RegExp(UNREADY),
    wayOut: new RegExp(`${SINCE}.*its owner can correct web`),
    play: (theatre) => released(theatre, 'crashing', { env: { CRASH: '1' } }),
  },
  {
    namespace: 'late',
    cause: new RegExp(`Failed \\(the canary was not ready within 2 s: ${UNREADY}`),
    wayOut: /push a corrected web/,
    // The verdict keeps the reason of its moment, so that the pods have to be seen before the deadline comes.
    async play(theatre) {
      await released(theatre, 'late', { env: { NEVER_READY: '1' } });
      const isSeen = ({ message }: { message: string }) => new RegExp(UNREADY).test(message);
      await theatre.teller.until('late', APP, 'its pods', ({ conditions }) => conditions.some(isSeen));
      await theatre.cluster.patch(canaryRef('late', APP), { spec: { progressDeadlineSeconds: 2 } });
    },
  },
  {
    namespace: 'gate-rollout',
    cause: /confirm-rollout hooks.*the-confirm-rollout: HTTP 403/,
    wayOut: new RegExp(`${SINCE}.*without limit; who runs the gate can open it`),
    play: (theatre) => released(theatre, 'gate-rollout', gate(theatre.hooks, 'confirm-rollout')),
  },
  {
    namespace: 'gate-traffic',
    cause: /confirm-traffic-increase hooks.*the-confirm-traffic-increase: HTTP 403/,
    wayOut: new RegExp(`${SINCE}.*without limit; who runs the gate can open it`),
    play: (theatre) => released(theatre, 'gate-traffic', gate(theatre.hooks, 'confirm-traffic-increase')),
  },
  {
    namespace: 'gate-promotion',
    cause: /confirm-promotion hooks.*the-confirm-promotion: HTTP 403/,
    wayOut: new RegExp(`${SINCE}.*without limit; who runs the gate can open it`),
    play: (theatre) => released(theatre, 'gate-promotion', gate(theatre.hooks, 'confirm-promotion')),
  },
  {
    namespace: 'pre-rollout',
    cause: /pre-rollout hooks.*the-pre-rollout: HTTP 403/,
    wayOut: new RegExp(`${SINCE}.*of 50 failed checks used; who runs them`),
    play: (theatre) => released(theatre, 'pre-rollout', gate(theatre.hooks, 'pre-rollout')),
  },
  {
    namespace: 'hook-hangs',
    cause: /the-rollout: no answer from 127\.0\.0\.1:\d+: no complete answer within 1000 ms/,
    wayOut: /next at \d{4}.*of 50 failed checks used/,
    play: (theatre) => released(theatre, 'hook-hangs', gate(theatre.hooks, 'rollout', { url: theatre.hangingUrl, timeout: '1s' })),
  },
  {
    namespace: 'metrics-down',
    cause: /request-success-rate is unmeasured: .*127\.0\.0\.1:1/,
    wayOut: /next at \d{4}.*of 50 failed checks used/,
    play: (theatre) =>
      released(theatre, 'metrics-down', {
        analysis: { threshold: 50, metrics: successRate() },
        spec: { metricsServer: 'http://127.0.0.1:1' },
      }),
  },
  {
    namespace: 'metrics-down-held',
    cause: /cannot be measured.*request-success-rate is unmeasured: .*127\.0\.0\.1:1/,
    wayOut: new RegExp(`${SINCE}.*until \\d{4}.*takes the release back; who runs the metrics`),
    play: (theatre) =>
      released(theatre, 'metrics-down-held', {
        analysis: { unmeasured: 'hold', metrics: successRate() },
        spec: { metricsServer: 'http://127.0.0.1:1' },
      }),
  },
  {
    namespace: 'no-data',
    cause: /request-success-rate is unmeasured: .*found no series/,
    wayOut: /next at \d{4}.*of 50 failed checks used/,
    play: (theatre) => released(theatre, 'no-data', { analysis: { threshold: 50, metrics: successRate() } }),
  },
  {
    namespace: 'template-missing',
    cause: /MetricTemplate template-missing\/errors: not found/,
    wayOut: /create it or correct templateRef/,
    play: (theatre) =>
      released(theatre, 'template-missing', {
        analysis: { threshold: 50, metrics: [{ name: 'errors', templateRef: { name: 'errors' }, thresholdRange: { max: 1 } }] },
      }),
  },
  {
    namespace: 'template-unreadable',
    cause: /errors.*(template|query)/i,
    wayOut: /next at \d{4}.*of 50 failed checks used/,
    async play(theatre) {
      await makeNamespace(theatre.cluster, 'templates');
      await theatre.cluster.create({
        apiVersion: 'flagger.app/v1beta1',
        kind: 'MetricTemplate',
        metadata: { name: 'errors', namespace: 'templates' },
        spec: { provider: { type: 'prometheus', address: 'http://127.0.0.1:1' }, query: 'sum({{ target' },
      });
      const metric = { name: 'errors', templateRef: { name: 'errors', namespace: 'templates' }, thresholdRange: { max: 1 } };
      await released(theatre, 'template-unreadable', { analysis: { threshold: 50, metrics: [metric] } });
    },
  },
  {
    namespace: 'crd-absent',
    cause: /the cluster has no TrafficSplit in split\.smi-spec\.io\/v1alpha4/,
    wayOut: /install its CRD/,
    play: ({ cluster }) => begun(cluster, 'crd-absent', { spec: { provider: 'smi:v1alpha4' } }),
  },
  {
    namespace: 'name-taken',
    cause: /Service web-canary exists and is not ours/,
    wayOut: /rename or remove it, or annotate it serin.dev\/adopt=true/,
    async play({ cluster }) {
      await makeNamespace(cluster, 'name-taken');
      await cluster.create(aDeployment('name-taken', APP));
      await cluster.create(aService('name-taken', `${APP}-canary`, APP));
      await cluster.create(aCanary('name-taken', APP));
    },
  },
  {
    namespace: 'rbac',
    cause: /Blocked: the API server refused .*virtualservices.*403 Forbidden/,
    wayOut: /grant it to the service account of Serin/,
    play: ({ cluster }) => begun(cluster, 'rbac'),
  },
  {
    namespace: 'config-missing-at-birth',
    cause: /Blocked: ConfigMap settings, which the target's pods need, does not exist/,
    wayOut: /create it, or make the reference optional/,
    play: ({ cluster }) => begunReading(cluster, 'config-missing-at-birth', { configMapRef: { name: 'settings' } }),
  },
  {
    namespace: 'config-missing',
    cause: /Blocked: Secret late, which the target's pods need, does not exist/,
    wayOut: /create it, or make the reference optional/,
    async play(theatre) {
      await begun(theatre.cluster, 'config-missing');
      await theatre.teller.until('config-missing', APP, 'Initialized', ({ phase }) => phase === 'Initialized');
      const reading = [{ op: 'add', path: '/spec/template/spec/containers/0/envFrom', value: [{ secretRef: { name: 'late' } }] }];
      await theatre.cluster.patch(deployment('config-missing'), reading);
    },
  },
  {
    namespace: 'config-unwatched',
    cause: /Blocked: Secret db cannot be watched: .*403 Forbidden/,
    wayOut: /grant list and watch to the service account of Serin, or choose --secrets-mode=get or off/,
    async play({ cluster }) {
      await begunReading(cluster, 'config-unwatched', { secretRef: { name: 'db', optional: true } });
    },
  },
  {
    namespace: 'config-unread',
    cause: /Blocked: ConfigMap settings cannot be read: .*403 Forbidden/,
    wayOut: /grant it to the service account of Serin/,
    async play({ cluster }) {
      await begunReading(cluster, 'config-unread', { configMapRef: { name: 'settings', optional: true } });
      await cluster.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: 'config-unread' } });
    },
  },
  {
    namespace: 'suspended',
    cause: /Suspended by spec\.suspend at (Progressing|WaitingPromotion)/,
    wayOut: /until someone sets it to false/,
    async play(theatre) {
      await released(theatre, 'suspended', gate(theatre.hooks, 'confirm-promotion'));
      await theatre.teller.until('suspended', APP, 'a release', ({ phase }) => phase === 'Progressing' || phase === 'WaitingPromotion');
      await theatre.cluster.patch(canaryRef('suspended', APP), { spec: { suspend: true } });
    },
  },
  {
    namespace: 'suspended-from-birth',
    cause: /spec\.suspend is true/,
    wayOut: /until someone sets it to false/,
    play: ({ cluster }) => begun(cluster, 'suspended-from-birth', { spec: { suspend: true } }),
  },
  {
    namespace: 'rivals',
    cause: /Canary rivals\/elder releases the same target and is older/,
    wayOut: /remove one of them/,
    async play({ cluster, teller }) {
      await makeNamespace(cluster, 'rivals');
      await cluster.create(aDeployment('rivals', APP));
      await cluster.create(aCanary('rivals', 'elder', {}, { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: APP } }));
      await teller.until('rivals', 'elder', 'Initialized', ({ phase }) => phase === 'Initialized');
      await cluster.create(aCanary('rivals', APP));
    },
  },
  {
    namespace: 'invalid',
    cause: /spec\.analysis\.stepWeight/,
    wayOut: /set it from 1 to 100/,
    play: ({ cluster }) => begun(cluster, 'invalid', { analysis: { stepWeight: 0 } }),
  },
  {
    namespace: 'paused',
    cause: /Deployment web: its rollout is paused/,
    wayOut: /until \d{4}.*set its spec\.paused to false/,
    async play({ cluster, teller }) {
      await begun(cluster, 'paused');
      await teller.until('paused', APP, 'Initialized', ({ phase }) => phase === 'Initialized');
      await cluster.patch(deployment('paused'), { spec: { paused: true } });
      await push(cluster, 'paused', APP, '2');
    },
  },
  {
    namespace: 'primary-broken-by-hand',
    cause: /the primary does not serve/,
    wayOut: /waits for a change of web/,
    async play({ cluster, teller }) {
      await begun(cluster, 'primary-broken-by-hand');
      await teller.until('primary-broken-by-hand', APP, 'Initialized', ({ phase }) => phase === 'Initialized');
      const container = { name: 'web', image: 'web:broken', env: [{ name: 'NEVER_READY', value: '1' }] };
      const strategy = { type: 'Recreate', rollingUpdate: null };
      await cluster.patch(deployment('primary-broken-by-hand', `${APP}-primary`), {
        spec: { strategy, template: { spec: { containers: [container] } } },
      });
    },
  },
  {
    namespace: 'target-deleted',
    cause: /Deployment web of spec\.targetRef, which does not exist/,
    wayOut: /the primary serves; .*create it again/,
    async play({ cluster, teller }) {
      await begun(cluster, 'target-deleted');
      await teller.until('target-deleted', APP, 'Initialized', ({ phase }) => phase === 'Initialized');
      await cluster.delete(deployment('target-deleted'));
    },
  },
  {
    namespace: 'contested',
    cause: /Service\/contested\/web: spec\.selector\.app is changed back by gitops/,
    wayOut: /take the field out of it, or set spec\.suspend: true to stop Serin/,
    async play({ cluster, teller, atEnd }) {
      await begun(cluster, 'contested');
      await teller.until('contested', APP, 'Initialized', ({ phase }) => phase === 'Initialized');
      const { spec, ...service } = aService('contested', APP);
      const healer = await startSelfHealer(cluster, [{ ...service, spec: { selector: spec.selector } }], 3);
      atEnd(() => healer.stop());
    },
  },
];

/** The Canary CRD in the cluster is an older one. It concerns every Canary, so that it is played alone. */
export const OUTDATED: Stall = {
  namespace: 'crd-outdated',
  cause: /status\.release was not stored/,
  wayOut: /apply the Canary CRD of this version \(serin crds apply\)/,
  async play({ cluster, teller }) {
    await begun(cluster, 'crd-outdated');
    await teller.until('crd-outdated', APP, 'Initialized', ({ phase }) => phase === 'Initialized');
    await until(cluster, deployment('crd-outdated'), 'is at zero', (now) => now?.spec.replicas === 0);
  },
};
