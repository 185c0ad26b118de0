import { type KubeObject, refOf } from '../../../src/api/kube-object.ts';
import { raw } from '../../fakes/raw.ts';
import type { RefusalKind } from '../troubles/api-proxy.ts';
import { aCanary, aDeployment, aService, makeNamespace } from '../troubles/objects.ts';
import { setField } from './set-field.ts';
import { APP, begun, begunWith, deployment, initialized, released, type Stall } from './stall.ts';

const SAID = /^Canary web: status\.conditions\[Promoted\]\.message$/;

/** A target whose pods read this config. */
function reading(namespace: string, source: object): KubeObject {
  const target = aDeployment(namespace, APP);
  Object.assign(raw(target).spec.template.spec.containers[0], { envFrom: [source] });
  return target;
}

const settings = (namespace: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'settings', namespace },
  data: { a: 'b' },
});

/** Requests of the controller that are refused in the namespace of the stall, until they are granted. */
export const refusals: readonly { namespace: string; path: string; methods: 'all' | 'writes'; code: RefusalKind }[] = [
  { namespace: 'rbac', path: '/virtualservices', methods: 'writes', code: 403 },
  { namespace: 'rbac-services', path: '/services', methods: 'writes', code: 403 },
  { namespace: 'rbac-primary', path: '/deployments', methods: 'writes', code: 403 },
  { namespace: 'quota', path: '/services', methods: 'writes', code: 'quota' },
  { namespace: 'policy-routes', path: '/virtualservices', methods: 'writes', code: 422 },
  { namespace: 'policy-primary', path: '/deployments', methods: 'writes', code: 422 },
  { namespace: 'policy-promotion', path: '/deployments/web-primary', methods: 'writes', code: 422 },
  { namespace: 'config-copy-refused', path: '/configmaps', methods: 'writes', code: 403 },
  { namespace: 'config-unwatched', path: '/secrets', methods: 'all', code: 403 },
  { namespace: 'config-unread', path: '/configmaps/', methods: 'all', code: 403 },
];

/** Every request is refused until the definition exists. */
export const ABSENT = '/apis/split.smi-spec.io/v1alpha4';

function refused(namespace: string, cause: RegExp, remedy: RegExp, named: 'Forbidden' | 'ApiRejected'): Stall {
  const grant = { others: (fixture: { grant(namespace: string): void }) => fixture.grant(namespace) };
  return {
    namespace,
    cause,
    remedy,
    why: { cause: named, proof: SAID, clear: grant },
    run: ({ cluster }) => begun(cluster, namespace),
  };
}

/** An object of a name that Serin wants for its own. */
function taken(namespace: string, object: KubeObject): Stall {
  const { kind, metadata } = object;
  return {
    namespace,
    cause: new RegExp(`${kind} ${metadata.name} exists and is not ours`),
    remedy: /rename or remove it, or annotate it serin.dev\/adopt=true/,
    why: {
      cause: 'NameTaken',
      proof: new RegExp(`^${kind} ${metadata.name}: metadata\\.annotations\\[serin\\.dev/canary-uid\\]$`),
      clear: { set: 'true' },
    },
    async run({ cluster }) {
      await makeNamespace(cluster, namespace);
      await cluster.create(object);
      await cluster.create(aDeployment(namespace, APP));
      await cluster.create(aCanary(namespace, APP));
    },
  };
}

const hpa = (namespace: string): KubeObject => ({
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: APP, namespace },
  spec: { minReplicas: 1, maxReplicas: 2, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: APP } },
});

const gateway = (hostname: string): KubeObject => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'Gateway',
  metadata: { name: 'front', namespace: 'route-unconfirmed' },
  spec: { gatewayClassName: 'embedded', listeners: [{ name: 'http', port: 80, protocol: 'HTTP', hostname }] },
});

export const refusalStalls: readonly Stall[] = [
  {
    namespace: 'crd-absent',
    cause: /the cluster has no TrafficSplit in split\.smi-spec\.io\/v1alpha4/,
    remedy: /install its CRD/,
    why: {
      cause: 'KindNotFound',
      proof: /^CustomResourceDefinition TrafficSplit in split\.smi-spec\.io\/v1alpha4: spec\.versions$/,
      // The definition always exists: the proxy hides it.
      clear: {
        create({ grant }) {
          grant('crd-absent');
          return undefined;
        },
      },
    },
    run: ({ cluster }) => begun(cluster, 'crd-absent', { spec: { provider: 'smi:v1alpha4' } }),
  },
  taken('name-taken', aService('name-taken', `${APP}-canary`, APP)),
  taken('primary-service-taken', aService('primary-service-taken', `${APP}-primary`, APP)),
  taken('primary-taken', aDeployment('primary-taken', `${APP}-primary`)),
  refused(
    'rbac',
    /Blocked: the API server refused .*virtualservices.*403 Forbidden/,
    /grant it to the service account of Serin/,
    'Forbidden',
  ),
  refused('rbac-services', /Blocked: the API server refused .*services.*403/, /grant it to the service account of Serin/, 'Forbidden'),
  refused('rbac-primary', /Blocked: the API server refused .*deployments.*403/, /grant it to the service account of Serin/, 'Forbidden'),
  {
    namespace: 'quota',
    cause: /Blocked: the API server refused .*exceeded quota: small/,
    remedy: /ask the owner of the quota to raise it/,
    why: {
      cause: 'QuotaExceeded',
      proof: /^ResourceQuota small: spec\.hard$/,
      clear: { others: ({ grant }) => grant('quota') },
    },
    run: ({ cluster }) => begun(cluster, 'quota'),
  },
  refused('policy-routes', /Blocked: the API server refused .*virtualservices.*422/, /denied by policy/, 'ApiRejected'),
  refused('policy-primary', /Blocked: the API server refused .*deployments.*422/, /denied by policy/, 'ApiRejected'),
  {
    namespace: 'policy-promotion',
    cause: /Writing the primary .*denied by policy/,
    remedy: /since \d{4}/,
    why: {
      cause: 'PrimaryRejected',
      proof: /^Canary web: status\.release\.reason$/,
      clear: { others: ({ grant }) => grant('policy-promotion') },
    },
    run: (fixture) => released(fixture, 'policy-promotion', { analysis: { interval: '500ms' } }),
  },
  {
    namespace: 'scaler-missing',
    cause: /spec\.autoscalerRef: HorizontalPodAutoscaler web does not exist/,
    remedy: /create it, or correct the name/,
    why: { cause: 'ScalerNotFound', proof: /^HorizontalPodAutoscaler web: metadata$/, clear: { create: () => hpa('scaler-missing') } },
    run: ({ cluster }) =>
      begun(cluster, 'scaler-missing', {
        spec: { autoscalerRef: { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', name: APP } },
      }),
  },
  {
    namespace: 'config-missing-at-birth',
    cause: /Blocked: ConfigMap settings, which the target's pods need, does not exist/,
    remedy: /create it, or make the reference optional/,
    why: {
      cause: 'ConfigNotFound',
      proof: /^ConfigMap settings: metadata$/,
      clear: { create: () => settings('config-missing-at-birth') },
    },
    run: ({ cluster }) =>
      begunWith(cluster, 'config-missing-at-birth', reading('config-missing-at-birth', { configMapRef: { name: 'settings' } })),
  },
  {
    namespace: 'config-missing',
    cause: /Blocked: Secret late, which the target's pods need, does not exist/,
    remedy: /create it, or make the reference optional/,
    why: {
      cause: 'ConfigNotFound',
      proof: /^Secret late: metadata$/,
      clear: {
        create: () => ({
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'late', namespace: 'config-missing' },
          stringData: { a: 'b' },
        }),
      },
    },
    async run(fixture) {
      await initialized(fixture, 'config-missing');
      const source = [{ op: 'add', path: '/spec/template/spec/containers/0/envFrom', value: [{ secretRef: { name: 'late' } }] }];
      await fixture.cluster.patch(deployment('config-missing'), source);
    },
  },
  {
    namespace: 'config-unwatched',
    cause: /Blocked: Secret db cannot be watched: .*403 Forbidden/,
    remedy: /grant list and watch to the service account of Serin, or choose --secrets-mode=get or off/,
    why: {
      cause: 'ConfigUnreadable',
      proof: /^Secret db: metadata$/,
      clear: { others: ({ grant }) => grant('config-unwatched') },
    },
    run: ({ cluster }) =>
      begunWith(cluster, 'config-unwatched', reading('config-unwatched', { secretRef: { name: 'db', optional: true } })),
  },
  {
    namespace: 'config-unread',
    cause: /Blocked: ConfigMap settings cannot be read: .*403 Forbidden/,
    remedy: /grant it to the service account of Serin/,
    why: {
      cause: 'ConfigUnreadable',
      proof: /^ConfigMap settings: metadata$/,
      clear: { others: ({ grant }) => grant('config-unread') },
    },
    async run({ cluster }) {
      await begunWith(cluster, 'config-unread', reading('config-unread', { configMapRef: { name: 'settings', optional: true } }));
      await cluster.create(settings('config-unread'));
    },
  },
  {
    namespace: 'config-copy-refused',
    cause: /Blocked: ConfigMap settings-primary-\w+, the copy that the primary is to read, cannot be made: .*403/,
    remedy: /grant it to the service account of Serin/,
    why: {
      cause: 'ConfigCopyRejected',
      proof: /^ConfigMap settings-primary-\w+: metadata$/,
      clear: { others: ({ grant }) => grant('config-copy-refused') },
    },
    async run({ cluster }) {
      await makeNamespace(cluster, 'config-copy-refused');
      await cluster.create(settings('config-copy-refused'));
      await cluster.create(reading('config-copy-refused', { configMapRef: { name: 'settings' } }));
      await cluster.create(aCanary('config-copy-refused', APP));
    },
  },
  {
    namespace: 'target-unlabelled',
    cause: /Deployment web: spec\.selector\.matchLabels has none of/,
    remedy: /create it again with one of them/,
    why: {
      cause: 'TargetUnusable',
      proof: /^Canary web: status\.conditions\[Accepted\]/,
      // A selector is immutable.
      clear: { anew: () => aDeployment('target-unlabelled', APP) },
    },
    async run({ cluster }) {
      const target = aDeployment('target-unlabelled', APP);
      raw(target).spec.selector.matchLabels = { component: 'x' };
      raw(target).spec.template.metadata.labels = { component: 'x' };
      await begunWith(cluster, 'target-unlabelled', target);
    },
  },
  {
    namespace: 'upstream-missing',
    cause: /spec\.upstreamRef: Upstream shop not found/,
    remedy: /create it, or remove the reference/,
    why: { cause: 'RouteRejected', proof: /^Canary web: spec\.upstreamRef$/, clear: { set: undefined } },
    run: ({ cluster }) =>
      begun(cluster, 'upstream-missing', {
        spec: { provider: 'gloo', upstreamRef: { apiVersion: 'gloo.solo.io/v1', kind: 'Upstream', name: 'shop' } },
      }),
  },
  {
    namespace: 'route-unconfirmed',
    cause: /Not in force yet: .*HTTPRoute web/,
    remedy: /./,
    why: {
      cause: 'RouteUnconfirmed',
      proof: SAID,
      clear: {
        others: ({ cluster }) => setField(cluster, refOf(gateway('')), 'spec.listeners[http].hostname', 'web.example.com'),
      },
    },
    run: ({ cluster }) =>
      begun(cluster, 'route-unconfirmed', {
        before: gateway('api.example.com'),
        spec: {
          provider: 'gatewayapi:v1',
          service: {
            port: 80,
            targetPort: 'http',
            hosts: ['web.example.com'],
            gatewayRefs: [{ name: 'front', namespace: 'route-unconfirmed' }],
          },
        },
      }),
  },
];
