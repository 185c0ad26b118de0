import { describe, expect, it } from 'vitest';
import type { Canary } from '../../../src/api/canary.ts';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import { providerOf } from '../../../src/api/mesh-provider.ts';
import { parseCanary } from '../../../src/api/parse-canary.ts';
import type { Loss } from '../../../src/arrival/plan.ts';
import { planFor } from '../../../src/arrival/plan-for.ts';
import { type CompanionName, companionNames } from '../../../src/workloads/companions/index.ts';
import { raw } from '../../fakes/raw.ts';
import { type Arriving, play } from './play.ts';
import { describeLoss } from './shrink.ts';
import { clean } from './traps.ts';
import { arrivingIn, type Part, type World } from './world.ts';

/** Action of a user who follows the words of a remedy. */
type Follow = (arriving: Arriving, loss: Loss) => Arriving;

interface Remedied {
  /** The expected loss. */
  what: string;
  arriving: Arriving;
  object: string;
  remedy: string;
  follow: readonly Follow[];
  companions?: readonly CompanionName[];
  /** Only the plan is checked: the modelled cluster has no data plane of its provider. */
  isPlanOnly?: true;
}

const worldOf = (parts: readonly Part[], more: Partial<World> = {}): Arriving => {
  const [plain] = clean;
  if (plain === undefined) throw new Error('the plain world is missing');
  return arrivingIn({ ...plain.world, ...more, parts });
};
const namespace = 'test';
const object = (apiVersion: string, kind: string, name: string, spec: object, at = namespace): KubeObject => ({
  ...{ apiVersion, kind },
  metadata: { name, namespace: at },
  spec,
});
const having = (arriving: Arriving, ...objects: KubeObject[]): Arriving => ({ ...arriving, objects: [...arriving.objects, ...objects] });
const withSpec = (arriving: Arriving, change: (spec: ReturnType<typeof raw>) => object): Arriving => ({
  ...arriving,
  canary: { ...arriving.canary, spec: change(raw(arriving.canary).spec) },
});
const withService = (arriving: Arriving, service: object) =>
  withSpec(arriving, (spec) => ({ ...spec, service: { ...spec.service, ...service } }));
/** The object of the loss with another spec. */
const changed =
  (change: (spec: ReturnType<typeof raw>) => object): Follow =>
  (arriving, { object: { kind, name } }) => ({
    ...arriving,
    objects: arriving.objects.map((one) =>
      one.kind === kind && one.metadata.name === name ? { ...one, spec: change(raw(one).spec) } : one,
    ),
  });
const printed: Follow = (arriving, { manifest }) => {
  if (manifest === undefined) throw new Error('nothing is printed');
  return having(arriving, manifest);
};
const withReplicas = (arriving: Arriving, replicas: number): Arriving => ({
  ...arriving,
  objects: arriving.objects.map((one) =>
    one.kind === 'Deployment' && one.metadata.name === 'shop' ? { ...one, spec: { ...raw(one).spec, replicas } } : one,
  ),
});
const own = { matchLabels: { app: 'shop' } };
const both = { matchLabels: { component: 'catalogue' } };
const istio = { provider: 'istio' } as const;
const notThese = (...values: string[]) => ({ matchExpressions: [{ key: 'app', operator: 'NotIn', values }] });
const admin: Part = { is: 'further Service', name: 'shop-admin', by: 'own', isHeadless: false };
const printedOr = (name: string) =>
  `apply the one for the primary that serin preflight prints, ${name}; or select by component=catalogue, which both sides have`;
const istioPolicy = (kind: 'AuthorizationPolicy' | 'PeerAuthentication' | 'RequestAuthentication' | 'Sidecar'): Remedied => ({
  what: kind,
  arriving: worldOf([{ is: 'Istio policy', kind, by: 'own' }], istio),
  object: `${kind}/shop`,
  remedy: printedOr('shop-primary'),
  follow: [
    printed,
    changed((spec) => (kind === 'Sidecar' ? { ...spec, workloadSelector: { labels: both.matchLabels } } : { ...spec, selector: both })),
  ],
});
const refsTo = (names: readonly string[]) => ({ targetRefs: names.map((name) => ({ group: '', kind: 'Service', name })) });
const ofTwo = (kind: string, apiVersion: string): Remedied => ({
  what: kind,
  arriving: having(
    withSpec(worldOf([]), (one) => ({ ...one, provider: 'gatewayapi:v1' })),
    object(apiVersion, kind, 'shop', refsTo(['shop'])),
  ),
  object: `${kind}/shop`,
  remedy: 'also name shop-primary and shop-canary in it, or in another one',
  follow: [
    changed(() => refsTo(['shop', 'shop-primary', 'shop-canary'])),
    (one) => having(one, object(apiVersion, kind, 'sides', refsTo(['shop-primary', 'shop-canary']))),
  ],
  isPlanOnly: true,
});
const clientRule = (name: string, host: string) =>
  object('networking.istio.io/v1', 'DestinationRule', name, {
    host,
    ...{ trafficPolicy: { tls: { mode: 'SIMPLE' } }, workloadSelector: { matchLabels: { app: 'web' } } },
  });

const web = (kind: string, apiVersion: string, spec: object) => object(apiVersion, kind, 'web', spec);
const gatewayRoute = (path: string, name: string) => ({
  ...{ parentRefs: [{ name: 'public' }], hostnames: ['shop.example.org'] },
  rules: [{ matches: [{ path: { type: 'PathPrefix', value: path } }], backendRefs: [{ name, port: 80 }] }],
});
/** Exposes an application at a host of its own, for some clients. */
const exposedBy = (arriving: Arriving, provider: string) =>
  withSpec(arriving, (spec) => ({
    ...{ ...spec, provider, analysis: { ...spec.analysis, match: [{ headers: { 'x-user': { exact: 'insider' } } }] } },
    service: { ...spec.service, hosts: ['shop.example.org'], gatewayRefs: [{ name: 'public' }], gateways: ['edge/public'] },
  }));

const remedied: readonly Remedied[] = [
  {
    what: 'an apex Service over several workloads',
    arriving: worldOf([{ is: 'shared apex' }]),
    object: 'Service/shop',
    remedy:
      'add app: shop to its selector, which separates them; or leave Deployment shop out of it, and name a Service of its own in spec.service.name',
    follow: [
      changed((spec) => ({ ...spec, selector: { ...spec.selector, app: 'shop' } })),
      (arriving, loss) => {
        const left = changed((spec) => ({ ...spec, selector: { app: 'till' } }))(arriving, loss);
        const service = object('v1', 'Service', 'shop-web', { selector: { app: 'shop' }, ports: [{ port: 80, targetPort: 8080 }] });
        return withService(having(left, service), { name: 'shop-web' });
      },
    ],
  },
  {
    what: 'another Service over several workloads',
    arriving: worldOf([{ is: 'further Service', name: 'shop-all', by: 'shared', isHeadless: false }]),
    object: 'Service/shop-all',
    remedy: 'add app: shop to its selector, which separates them; or leave Deployment shop out of it',
    follow: [
      changed((spec) => ({ ...spec, selector: { ...spec.selector, app: 'shop' } })),
      changed((spec) => ({ ...spec, selector: { app: 'till' } })),
    ],
  },
  {
    what: 'a Service over a workload with all labels of the target',
    arriving: having(
      worldOf([]),
      object('apps/v1', 'Deployment', 'twin', {
        replicas: 1,
        selector: { matchLabels: { app: 'shop', twin: 'yes' } },
        template: {
          metadata: { labels: { app: 'shop', component: 'catalogue', tier: 'backend', twin: 'yes' } },
          spec: { containers: [{ name: 'app', image: 'good-1', ports: [{ name: 'web', containerPort: 8080 }] }] },
        },
      }),
    ),
    object: 'Service/shop',
    remedy: 'give the pods of Deployment shop a label that separates them, and add it to its selector',
    follow: [
      (arriving, loss) => {
        const labelled = arriving.objects.map((one) => {
          const { template } = raw(one).spec ?? {};
          if (one.metadata.name !== 'shop' || one.kind !== 'Deployment') return one;
          const labels = { ...template.metadata.labels, part: 'front' };
          return { ...one, spec: { ...raw(one).spec, template: { ...template, metadata: { labels } } } };
        });
        return changed((spec) => ({ ...spec, selector: { ...spec.selector, part: 'front' } }))({ ...arriving, objects: labelled }, loss);
      },
    ],
    isPlanOnly: true,
  },
  ...(['own', 'kept'] as const).map(
    (by): Remedied => ({
      what: by === 'own' ? 'a Service that must not follow' : 'a Service of both sides that must not follow',
      arriving: withService(worldOf([{ ...admin, by }]), { followers: 'none' }),
      object: 'Service/shop-admin',
      remedy: 'let spec.service.followers be auto, or name shop-admin there',
      follow: [(one) => withService(one, { followers: 'auto' }), (one) => withService(one, { followers: ['shop-admin'] })],
    }),
  ),
  {
    what: 'an apex Service of others',
    arriving: withService(worldOf([]), { name: 'web' }),
    object: 'Service/web',
    remedy: 'give spec.service.name another name',
    follow: [(one) => withService(one, { name: 'shop' })],
  },
  istioPolicy('AuthorizationPolicy'),
  istioPolicy('PeerAuthentication'),
  istioPolicy('RequestAuthentication'),
  istioPolicy('Sidecar'),
  {
    what: 'PodMonitor',
    arriving: worldOf([{ is: 'PodMonitor', by: 'own' }]),
    object: 'PodMonitor/shop',
    remedy: printedOr('shop-primary'),
    follow: [printed, changed((spec) => ({ ...spec, selector: both }))],
  },
  {
    what: 'a Server of Linkerd',
    arriving: having(worldOf([]), object('policy.linkerd.io/v1beta3', 'Server', 'shop-http', { podSelector: own, port: 'web' })),
    object: 'Server/shop-http',
    remedy:
      'apply the one for the primary that serin preflight prints, shop-http-primary, and authorize it as Server shop-http is; or select by component=catalogue, which both sides have',
    follow: [printed, changed((spec) => ({ ...spec, podSelector: both }))],
  },
  {
    what: 'a CiliumNetworkPolicy',
    arriving: having(
      worldOf([]),
      object('cilium.io/v2', 'CiliumNetworkPolicy', 'shop', { endpointSelector: { matchLabels: { 'k8s:app': 'shop' } } }),
    ),
    object: 'CiliumNetworkPolicy/shop',
    remedy: printedOr('shop-primary'),
    follow: [printed, changed((spec) => ({ ...spec, endpointSelector: both }))],
  },
  {
    what: 'a policy of all but the application',
    arriving: worldOf([{ is: 'isolation of others' }]),
    object: 'NetworkPolicy/others',
    remedy: 'leave out app: shop-primary as it leaves out app: shop',
    follow: [changed((spec) => ({ ...spec, podSelector: notThese('shop', 'shop-primary') }))],
    companions: [],
  },
  ...(['ingress', 'egress'] as const).map((list): Remedied => {
    const peers = list === 'ingress' ? 'from' : 'to';
    const peer = (app: string) => ({
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
      podSelector: { matchLabels: { app } },
    });
    const spec = (...apps: string[]) => ({
      ...{ podSelector: {}, policyTypes: [list === 'ingress' ? 'Ingress' : 'Egress'] },
      [list]: [{ [peers]: apps.map(peer) }],
    });
    return {
      what: `a policy of another namespace (${list})`,
      arriving: having(worldOf([]), object('networking.k8s.io/v1', 'NetworkPolicy', 'data', spec('shop'), 'data')),
      object: 'NetworkPolicy/data',
      remedy: 'apply data-shop-primary beside it, which serin preflight --manifests prints; or also admit app: shop-primary there',
      follow: [printed, changed(() => spec('shop', 'shop-primary'))],
    };
  }),
  {
    what: 'a policy that admits all but the application',
    arriving: having(
      worldOf([]),
      object('networking.k8s.io/v1', 'NetworkPolicy', 'db', {
        ...{ podSelector: { matchLabels: { app: 'db' } }, policyTypes: ['Ingress'] },
        ingress: [{ from: [{ podSelector: notThese('shop') }] }],
      }),
    ),
    object: 'NetworkPolicy/db',
    remedy: 'also leave out app: shop-primary there',
    follow: [changed((spec) => ({ ...spec, ingress: [{ from: [{ podSelector: notThese('shop', 'shop-primary') }] }] }))],
  },
  {
    what: 'a PodDisruptionBudget without companions',
    arriving: worldOf([{ is: 'PodDisruptionBudget', by: 'own', spec: { minAvailable: 1 } }]),
    object: 'PodDisruptionBudget/shop',
    remedy: printedOr('shop-primary'),
    follow: [printed, changed((spec) => ({ ...spec, selector: both }))],
    companions: [],
  },
  {
    what: 'a NetworkPolicy without companions',
    arriving: worldOf([{ is: 'isolation', by: 'own', from: 'web', byName: false }]),
    object: 'NetworkPolicy/shop',
    remedy: printedOr('shop-primary'),
    follow: [printed, changed((spec) => ({ ...spec, podSelector: both }))],
    companions: [],
  },
  {
    what: 'a VerticalPodAutoscaler without companions',
    arriving: worldOf([{ is: 'VerticalPodAutoscaler' }]),
    object: 'VerticalPodAutoscaler/shop',
    remedy: 'apply the one for the primary that serin preflight prints, shop-primary',
    follow: [printed],
    companions: [],
  },
  {
    what: 'a HorizontalPodAutoscaler that the Canary does not name',
    arriving: withSpec(worldOf([{ is: 'HorizontalPodAutoscaler' }]), ({ autoscalerRef: _, ...spec }) => spec),
    object: 'HorizontalPodAutoscaler/shop',
    remedy: 'name HorizontalPodAutoscaler shop in spec.autoscalerRef of the Canary',
    follow: [
      (one) =>
        withSpec(one, (spec) => ({
          ...spec,
          autoscalerRef: { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', name: 'shop' },
        })),
    ],
  },
  {
    what: 'a budget that lets no pod of the canary be evicted',
    arriving: withReplicas(
      worldOf([{ is: 'HorizontalPodAutoscaler' }, { is: 'PodDisruptionBudget', by: 'own', spec: { minAvailable: 2 } }]),
      4,
    ),
    object: 'PodDisruptionBudget/shop',
    remedy: 'let it have maxUnavailable: 1 instead, or raise minReplicas above it',
    follow: [
      changed(({ minAvailable: _, ...spec }) => ({ ...spec, maxUnavailable: 1 })),
      (arriving) => ({
        ...arriving,
        objects: arriving.objects.map((one) =>
          one.kind === 'HorizontalPodAutoscaler' ? { ...one, spec: { ...raw(one).spec, minReplicas: 3 } } : one,
        ),
      }),
    ],
  },
  ofTwo('BackendTLSPolicy', 'gateway.networking.k8s.io/v1'),
  ofTwo('XBackendTrafficPolicy', 'gateway.networking.x-k8s.io/v1alpha1'),
  ofTwo('BackendTrafficPolicy', 'gateway.envoyproxy.io/v1alpha1'),
  {
    what: 'a ServiceProfile',
    arriving: having(
      withSpec(worldOf([]), (spec) => ({ ...spec, provider: 'linkerd' })),
      object('linkerd.io/v1alpha2', 'ServiceProfile', `shop.${namespace}.svc.cluster.local`, { routes: [] }),
    ),
    object: `ServiceProfile/shop.${namespace}.svc.cluster.local`,
    remedy: 'write one for shop-primary and one for shop-canary',
    follow: [
      (one) =>
        having(
          one,
          ...['shop-primary', 'shop-canary'].map((name) =>
            object('linkerd.io/v1alpha2', 'ServiceProfile', `${name}.${namespace}.svc.cluster.local`, { routes: [] }),
          ),
        ),
    ],
    isPlanOnly: true,
  },
  {
    what: 'a route to a subset',
    arriving: having(
      worldOf([], istio),
      object('networking.istio.io/v1', 'VirtualService', 'shop', {
        ...{ hosts: ['shop'], http: [{ route: [{ destination: { host: 'shop', subset: 'v1' } }] }] },
      }),
    ),
    object: 'VirtualService/shop',
    remedy: 'let it lead to shop without subset, or give subset v1 a Service and a Canary of its own',
    follow: [changed((spec) => ({ ...spec, http: [{ route: [{ destination: { host: 'shop' } }] }] }))],
    isPlanOnly: true,
  },
  {
    what: 'a route that answers what that of the Canary would take',
    arriving: exposedBy(having(worldOf([]), web('HTTPRoute', 'gateway.networking.k8s.io/v1', gatewayRoute('/', 'web'))), 'gatewayapi:v1'),
    object: 'HTTPRoute/web',
    remedy:
      'make a route of your own that leads to Service shop by a path or a host of its own, and list it in spec.routeRefs; or name hosts in spec.service.hosts that no other route has',
    follow: [
      (one) => {
        const own = object('gateway.networking.k8s.io/v1', 'HTTPRoute', 'app', gatewayRoute('/api', 'shop'));
        const routeRefs = [{ apiVersion: own.apiVersion, kind: own.kind, name: 'app' }];
        return having(
          withSpec(one, (spec) => ({ ...spec, routeRefs })),
          own,
        );
      },
      (one) => withService(one, { hosts: ['api.example.org'] }),
    ],
    isPlanOnly: true,
  },
  {
    what: 'a VirtualService that answers what that of the Canary would take',
    arriving: exposedBy(
      having(
        worldOf([], istio),
        web('VirtualService', 'networking.istio.io/v1', {
          ...{ hosts: ['shop.example.org'], gateways: ['edge/public'], http: [{ route: [{ destination: { host: 'web' } }] }] },
        }),
      ),
      'istio',
    ),
    object: 'VirtualService/web',
    remedy:
      'make a route of your own that leads to Service shop by a path or a host of its own, and list it in spec.routeRefs; or name hosts in spec.service.hosts that no other route has',
    follow: [(one) => withService(one, { hosts: ['api.example.org'] })],
    isPlanOnly: true,
  },
  {
    what: 'a DestinationRule for some clients',
    arriving: having(worldOf([], istio), clientRule('some', 'shop')),
    object: 'DestinationRule/some',
    remedy: 'add rules for these two hosts beside it',
    follow: [(one) => having(one, clientRule('some-primary', 'shop-primary'), clientRule('some-canary', 'shop-canary'))],
    isPlanOnly: true,
  },
  {
    what: 'a DestinationRule that spec.service.trafficPolicy replaces',
    arriving: withService(worldOf([{ is: 'DestinationRule', host: 'short', tls: true }], istio), {
      trafficPolicy: { loadBalancer: { simple: 'RANDOM' } },
    }),
    object: 'DestinationRule/shop-rule',
    remedy: 'also write that into spec.service.trafficPolicy',
    follow: [(one) => withService(one, { trafficPolicy: { loadBalancer: { simple: 'RANDOM' }, tls: { mode: 'ISTIO_MUTUAL' } } })],
    isPlanOnly: true,
  },
];

function lossesOf({ objects, canary }: Arriving, companions: readonly CompanionName[]): readonly Loss[] {
  const { match } = raw(canary).spec.analysis ?? {};
  const analysis = { interval: '1m', threshold: 5, iterations: 2, ...(match && { match }) };
  const whole = { ...canary, metadata: { ...canary.metadata, uid: 'u' }, spec: { ...raw(canary).spec, analysis } };
  const read = parseCanary({ ...whole, metadata: { ...whole.metadata, generation: 1, resourceVersion: '1' } });
  if ('problems' in read) throw new Error(JSON.stringify(read.problems));
  const parsed: Canary = read.canary;
  const target = objects.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'shop');
  if (target === undefined) throw new Error('the target is missing');
  const provider = parsed.spec.provider && providerOf(parsed.spec.provider);
  const plan = planFor(parsed, { target, objects }, { selectorLabels: ['app'], companions, provider, mode: 'refuse', isServing: false });
  if (plan === undefined || 'problem' in plan) throw new Error('the plan is missing');
  return plan.losses;
}

const cases = remedied.flatMap((one) => one.follow.map((follow, index) => ({ ...one, follow, way: `way ${index + 1}` })));

describe('I17: a remedy that is followed as its words say it', () => {
  it.each(remedied)('is said of $what', ({ arriving, object: named, remedy, companions = companionNames }) => {
    const losses = lossesOf(arriving, companions);
    expect(losses.map(({ object: { kind, name }, remedy: words }) => [`${kind}/${name}`, words])).toEqual([[named, remedy]]);
  });

  it.each(cases)(
    'lets the Canary arrive, and nothing is lost: $what, $way',
    async ({ arriving, follow, companions = companionNames, isPlanOnly }) => {
      const [loss] = lossesOf(arriving, companions);
      if (loss === undefined) throw new Error('nothing is lost');
      const mended = follow(arriving, loss);
      expect(lossesOf(mended, companions)).toEqual([]);
      if (isPlanOnly) return;
      const outcome = await play(mended);
      expect(outcome.losses.map(describeLoss)).toEqual([]);
      expect(outcome.is).toBe('arrived');
    },
  );

  it('a Service of its own does not mend one over several workloads', () => {
    const arriving = worldOf([{ is: 'further Service', name: 'shop-all', by: 'shared', isHeadless: false }]);
    const service = object('v1', 'Service', 'shop-own', { selector: { app: 'shop' }, ports: [{ port: 80 }] });
    expect(lossesOf(having(arriving, service), companionNames).map(({ object: { name } }) => name)).toEqual(['shop-all']);
  });

  it('a policy for only the Service of the primary leaves that of the canary without', () => {
    const ofPrimary = object('gateway.networking.k8s.io/v1', 'BackendTLSPolicy', 'primary', refsTo(['shop-primary']));
    const { arriving } = ofTwo('BackendTLSPolicy', 'gateway.networking.k8s.io/v1');
    expect(lossesOf(having(arriving, ofPrimary), companionNames).map(({ object: { name } }) => name)).toEqual(['shop']);
  });
});
