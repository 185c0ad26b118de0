import { describe, expect, it } from 'vitest';
import type { Canary, Provider } from '../api/canary.ts';
import type { LabelSelector } from '../api/kinds/label-selector.ts';
import { specOf } from '../api/kinds/spec-of.ts';
import { groupOf, type KubeObject, type Labels } from '../api/kube-object.ts';
import { companionAnnotation } from '../workloads/companions/index.ts';
import { companionNames } from '../workloads/companions/kind-names.ts';
import { type ArrivalOptions, acceptedLossAnnotation, arrival, lossText } from './arrival.ts';
import { readKinds } from './kinds.ts';
import type { Loss } from './plan.ts';
import { type ArrivalSettings, planFor } from './plan-for.ts';
import { worldOf } from './world.ts';

const namespace = 'test';
const canary = (service: object = { port: 80 }): Canary =>
  ({
    apiVersion: 'flagger.app/v1beta1',
    kind: 'Canary',
    metadata: { name: 'shop', namespace, uid: 'u', generation: 1, resourceVersion: '1' },
    spec: { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop' }, service, analysis: { interval: '1m', threshold: 5 } },
  }) as unknown as Canary;

const object = (apiVersion: string, kind: string, name: string, spec: object, metadata: object = {}): KubeObject => ({
  ...{ apiVersion, kind },
  metadata: { name, namespace, ...metadata },
  spec,
});
const workload = (name: string, labels: Labels, kind = 'Deployment'): KubeObject =>
  object('apps/v1', kind, name, { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: {} } });
const service = (name: string, selector: Labels): KubeObject => object('v1', 'Service', name, { selector, ports: [{ port: 80 }] });
const policy = (name: string, spec: object, metadata: object = {}): KubeObject =>
  object('networking.k8s.io/v1', 'NetworkPolicy', name, spec, metadata);
const istio = (kind: string, name: string, matchLabels?: Labels): KubeObject =>
  object('security.istio.io/v1', kind, name, matchLabels ? { selector: { matchLabels } } : {});

const own = { app: 'shop', tier: 'web' };
const target = workload('shop', own);
const primary = workload('shop-primary', { ...own, app: 'shop-primary' });
const apex = service('shop', { app: 'shop' });

const options: ArrivalOptions = { companions: [], routesPastApex: false, mode: 'refuse', isServing: false };
const planOf = (objects: KubeObject[], { canary: one = canary(), ...more }: Partial<ArrivalOptions> & { canary?: Canary } = {}) =>
  arrival(one, worldOf({ target, primary }, [target, apex, ...objects]), { ...options, ...more });
const said = (losses: readonly Loss[]) => losses.map((loss) => `${loss.isRefused ? 'refused' : 'warning'}: ${lossText(loss, namespace)}`);

it.each(['HTTPRoute', 'VirtualService', 'HTTPProxy'])('a %s of any shape does not make the plan of an arrival throw', (kind) => {
  const group = { HTTPRoute: 'gateway.networking.k8s.io/v1', VirtualService: 'networking.istio.io/v1', HTTPProxy: 'projectcontour.io/v1' };
  const provider = { HTTPRoute: 'gatewayapi:v1', VirtualService: 'istio', HTTPProxy: 'contour' } as const;
  const own = kind as keyof typeof group;
  const [list, backends, conditions] = {
    HTTPRoute: ['rules', 'backendRefs', 'matches'],
    VirtualService: ['http', 'route', 'match'],
    HTTPProxy: ['routes', 'services', 'conditions'],
  }[own] as [string, string, string];
  for (const odd of [1, 'text', [null], [1], [[]], { a: 1 }, [{ name: 3, destination: 4, headers: [1], path: 5 }]])
    for (const spec of [
      { [list]: odd },
      { [list]: [{ [backends]: odd }] },
      { [list]: [{ [backends]: [{ name: 'shop', destination: { host: 'shop' } }], [conditions]: odd }] },
    ]) {
      const read = {
        target,
        objects: [
          apex,
          object(group[own], kind, 'shop', { ...spec, tcpproxy: odd, hosts: odd, includes: odd }),
          object(group[own], kind, 'web', spec),
        ],
      };
      const asking = canary({ port: 80, gatewayRefs: [{ name: 'edge' }] });
      const analysis = { interval: '1m', threshold: 5, iterations: 1, match: [{ headers: { a: { exact: 'b' } } }] };
      const whole = { ...asking, spec: { ...asking.spec, analysis } } as Canary;
      const settings = { selectorLabels: ['app'], companions: [], provider: provider[own], mode: 'refuse', isServing: false } as const;
      expect(() => planFor(whole, read, settings)).not.toThrow();
    }
});

describe('I17: Services at an arrival', () => {
  it('an apex Service that leads only to the target is kept, and nothing is lost', () => {
    const { keeps, follows, losses } = planOf([]);
    expect([keeps.map(({ name }) => name), follows, losses]).toEqual([['shop'], [], []]);
  });

  it('another Service of the target follows the apex', () => {
    const { follows, losses } = planOf([service('shop-admin', { app: 'shop' }), service('db', { app: 'db' })]);
    expect([follows, losses]).toEqual([
      [{ object: { apiVersion: 'v1', kind: 'Service', name: 'shop-admin', namespace }, isFollowing: false }],
      [],
    ]);
  });

  it('a Service that must not follow would lose its endpoints, and is refused', () => {
    const followers = { port: 80, followers: 'none' };
    expect(said(planOf([service('shop-admin', { app: 'shop' })], { canary: canary(followers) }).losses)).toEqual([
      'refused: Service shop-admin: spec.selector leads to Deployment shop, and would lose its endpoints when that is scaled to zero. To keep it, let spec.service.followers be auto, or name shop-admin there',
    ]);
    const named = canary({ port: 80, followers: ['shop-admin'] });
    expect(planOf([service('shop-admin', { app: 'shop' })], { canary: named }).losses).toEqual([]);
  });

  it('a Service by a label of both sides follows, or the canary would have users at any weight (I2)', () => {
    const web = service('web', { tier: 'web' });
    expect(planOf([web]).follows.map(({ object: { name } }) => name)).toEqual(['web']);
    expect(planOf([web], { canary: canary({ port: 80, followers: 'none' }) }).losses.map(({ kind }) => kind)).toEqual(['unweighted']);
  });

  it('the apex Service over several workloads is refused, with the label that separates them', () => {
    const reviews = { app: 'shop', version: 'v1' };
    const world = worldOf({ target: workload('shop', reviews), primary: workload('shop-primary', { ...reviews, app: 'shop-primary' }) }, [
      apex,
      workload('shop-v2', { app: 'shop', version: 'v2' }),
    ]);
    expect(said(arrival(canary(), world, options).losses)).toEqual([
      'refused: Service shop: spec.selector also leads to Deployment shop-v2, and is the apex Service, and would lead only to the primary. To keep it, add version: v1 to its selector, which separates them; or leave Deployment shop out of it, and name a Service of its own in spec.service.name',
    ]);
  });

  it('the Canary is refused if pods of another workload have the labels that the primary gets: they would answer its users', () => {
    const other = (tier: string, label = 'shop-primary') => workload('till-primary', { app: label, tier });
    expect(said(planOf([other('web')]).losses)).toEqual([
      'refused: Deployment till-primary: spec.template.metadata.labels.app is shop-primary, as it will be for Deployment shop-primary, so that Service shop would lead to both. To keep it, create one of them again with another app, or Deployment shop with one more label in spec.selector.matchLabels',
    ]);
    expect(said(planOf([other('till')]).losses)).toEqual([]);
    expect(said(planOf([other('web', 'till-primary')]).losses)).toEqual([]);
    expect(said(planOf([other('web')], { isServing: true }).losses)).toEqual([expect.stringMatching(/^warning/)]);
  });

  it('an apex Service of another workload that the user names is moved, with a warning', () => {
    const named = canary({ port: 80, name: 'front' });
    const objects = [service('front', { app: 'blog' }), workload('blog', { app: 'blog' })];
    expect(said(planOf(objects, { canary: named }).losses)).toEqual([
      'warning: Service front: spec.selector leads to Deployment blog, and as spec.service.name of the Canary will lead to Deployment shop-primary. To keep it, give spec.service.name another name',
    ]);
    const both = [service('front', { tier: 'web' }), workload('blog', { app: 'blog', tier: 'web' })];
    expect(planOf(both, { canary: named }).losses.map(({ isRefused }) => isRefused)).toEqual([true]);
  });

  it('another Service over several workloads is also refused', () => {
    const { losses, follows } = planOf([service('web', { tier: 'web' }), workload('blog', { app: 'blog', tier: 'web' }, 'StatefulSet')]);
    expect(follows).toEqual([]);
    expect(losses.map(({ object: { name }, isRefused, code }) => [name, isRefused, code])).toEqual([['web', true, 'EndpointsWouldBeLost']]);
  });
});

describe('I17: policies at an arrival', () => {
  const selectors: readonly [string, KubeObject, boolean][] = [
    ['PodDisruptionBudget', object('policy/v1', 'PodDisruptionBudget', 'shop', { selector: { matchLabels: { app: 'shop' } } }), false],
    ['NetworkPolicy', policy('shop', { podSelector: { matchLabels: { app: 'shop' } }, ingress: [] }), true],
    ['AuthorizationPolicy', istio('AuthorizationPolicy', 'shop', { app: 'shop' }), true],
    ['PeerAuthentication', istio('PeerAuthentication', 'shop', { app: 'shop' }), true],
    ['RequestAuthentication', istio('RequestAuthentication', 'shop', { app: 'shop' }), true],
    ['Sidecar', object('networking.istio.io/v1', 'Sidecar', 'shop', { workloadSelector: { labels: { app: 'shop' } } }), false],
    ['Server', object('policy.linkerd.io/v1beta3', 'Server', 'shop', { podSelector: { matchLabels: { app: 'shop' } } }), true],
    [
      'CiliumNetworkPolicy',
      object('cilium.io/v2', 'CiliumNetworkPolicy', 'shop', { endpointSelector: { matchLabels: { 'k8s:app': 'shop' } } }),
      true,
    ],
    ['PodMonitor', object('monitoring.coreos.com/v1', 'PodMonitor', 'shop', { selector: { matchLabels: { app: 'shop' } } }), false],
  ];
  it.each(selectors)('a %s of the target alone would be lost, unless it has a companion', (kind, one, isRefused) => {
    const { losses } = planOf([one]);
    expect(losses.map((loss) => [loss.object.kind, loss.isRefused])).toEqual([[kind, isRefused]]);
    const annotations = { [companionAnnotation]: 'shop' };
    const companion = {
      source: losses[0]?.object ?? { apiVersion: '', kind: '', name: '' },
      object: { ...one, metadata: { ...one.metadata, annotations } },
    };
    expect(planOf([one], { companions: [companion] }).losses).toEqual([]);
  });

  it('a policy of the whole namespace, or by a label of both sides, is kept', () => {
    const { losses, keeps } = planOf([istio('PeerAuthentication', 'default'), istio('AuthorizationPolicy', 'web', { tier: 'web' })]);
    expect([losses, keeps.map(({ name }) => name)]).toEqual([[], ['shop', 'default', 'web']]);
  });

  it('a policy that the user has written for the primary is enough', () => {
    const forPrimary = istio('AuthorizationPolicy', 'shop-primary', { app: 'shop-primary' });
    expect(planOf([istio('AuthorizationPolicy', 'shop', { app: 'shop' }), forPrimary]).losses).toEqual([]);
  });

  it('of several policies those without an equal policy for the primary are still lost', () => {
    const rule = (name: string, app: string, path: string): KubeObject => {
      const one = istio('AuthorizationPolicy', name, { app });
      return { ...one, spec: { ...specOf<object>(one), rules: [{ to: [{ operation: { paths: [path] } }] }] } };
    };
    const written = [rule('inner', 'shop', '/inner'), rule('admin', 'shop', '/admin')];
    const lostBeside = (...more: KubeObject[]) => planOf([...written, ...more]).losses.map(({ object: { name } }) => name);
    expect(lostBeside()).toEqual(['inner', 'admin']);
    expect(lostBeside(rule('inner-primary', 'shop-primary', '/inner'))).toEqual(['admin']);
    expect(lostBeside(rule('inner-primary', 'shop-primary', '/inner'), rule('admin-primary', 'shop-primary', '/admin'))).toEqual([]);
    // A policy for the primary with rules of its own replaces all of them.
    expect(lostBeside(rule('serving', 'shop-primary', '/'))).toEqual([]);
  });

  it('a selector that leaves the target out and begins to select the primary is refused', () => {
    const podSelector: LabelSelector = { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['shop'] }] };
    expect(said(planOf([policy('others', { podSelector, ingress: [] })]).losses)).toEqual([
      'refused: NetworkPolicy others: spec.podSelector does not select the pods of the target, and would begin to select those of shop-primary, which will serve. To keep it, leave out app: shop-primary as it leaves out app: shop',
    ]);
  });

  it('the loss brings the manifest that keeps it, and the label that both sides have', () => {
    const [loss] = planOf([istio('AuthorizationPolicy', 'shop', { app: 'shop' })]).losses;
    expect(loss?.manifest).toEqual({ ...istio('AuthorizationPolicy', 'shop-primary', { app: 'shop-primary' }) });
    expect(loss?.remedy).toBe(
      'apply the one for the primary that serin preflight prints, shop-primary; or select by tier=web, which both sides have',
    );
  });

  const peer = (labels: Labels, more: object = {}) => ({
    from: [{ podSelector: { matchLabels: labels }, ...more }],
    ports: [{ port: 5432 }],
  });
  const db = (ingress: object[], metadata: object = {}) => policy('db', { podSelector: { matchLabels: { app: 'db' } }, ingress }, metadata);

  it('a policy of a database that admits the target by its label shuts the primary out', () => {
    expect(said(planOf([db([peer({ app: 'shop' })])]).losses)).toEqual([
      'refused: NetworkPolicy db: spec.ingress[0].from admits requests from the pods of Deployment shop and not those of shop-primary: they cannot call the pods that it protects. To keep it, apply db-shop-primary beside it, which serin preflight --manifests prints; or also admit app: shop-primary there',
    ]);
  });

  it.each([
    ['admits both sides', [db([peer({ tier: 'web' })])]],
    ['admits the primary by another rule', [db([peer({ app: 'shop' }), peer({ app: 'shop-primary' })])]],
    ['admits the primary by another policy', [db([peer({ app: 'shop' })]), policy('all', { podSelector: {}, ingress: [{}] })]],
    ['is of another namespace, and admits its own pods', [db([peer({ app: 'shop' })], { namespace: 'other' })]],
    ['admits others', [db([peer({ app: 'blog' })])]],
    ['admits addresses', [db([{ from: [{ ipBlock: { cidr: '10.0.0.0/8' } }] }])]],
  ])('a NetworkPolicy that %s is kept', (_, objects) => {
    expect(planOf(objects).losses).toEqual([]);
  });

  it('a policy of another namespace that admits the target from here is refused', () => {
    const from = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } };
    const [loss] = planOf([db([peer({ app: 'shop' }, from)], { namespace: 'data' })]).losses;
    expect([loss?.object.namespace, loss?.isRefused]).toEqual(['data', true]);
  });
});

describe('I17: objects attached by name', () => {
  const tls = object('gateway.networking.k8s.io/v1', 'BackendTLSPolicy', 'shop', {
    targetRefs: [{ group: '', kind: 'Service', name: 'shop' }],
  });
  const profile = object('linkerd.io/v1alpha2', 'ServiceProfile', 'shop.test.svc.cluster.local', { routes: [] });

  it('objects attached to the apex Service are lost if requests are routed past it', () => {
    expect(planOf([tls, profile], { routesPastApex: true }).losses.map(({ object: { kind }, isRefused }) => [kind, isRefused])).toEqual([
      ['BackendTLSPolicy', true],
      ['ServiceProfile', false],
    ]);
    expect(planOf([tls, profile]).losses).toEqual([]);
  });

  it('a scaler of the target that the Canary does not name is a warning', () => {
    const hpa = object('autoscaling/v2', 'HorizontalPodAutoscaler', 'shop', { scaleTargetRef: { kind: 'Deployment', name: 'shop' } });
    expect(said(planOf([hpa]).losses)).toEqual([
      'warning: HorizontalPodAutoscaler shop: spec.scaleTargetRef is for Deployment shop, and Deployment shop-primary will serve. To keep it, name HorizontalPodAutoscaler shop in spec.autoscalerRef of the Canary',
    ]);
  });
});

describe('I17: objects without a companion', () => {
  const settings = { selectorLabels: ['app'], companions: companionNames, provider: 'istio', mode: 'refuse', isServing: false } as const;
  const lossesOf = (objects: KubeObject[], companions: ArrivalSettings['companions'] = companionNames) => {
    const plan = planFor(canary(), { target, objects: [target, apex, ...objects] }, { ...settings, companions });
    return plan === undefined || 'problem' in plan ? [] : plan.losses;
  };
  const manifestsOf = (losses: readonly Loss[]) => losses.flatMap(({ manifest }) => manifest ?? []);
  const kindsOf = (losses: readonly Loss[]) => losses.map(({ object: { kind, name }, isRefused }) => [kind, name, isRefused]);
  const ports = [{ port: 5432 }];
  const near = policy('db', {
    podSelector: { matchLabels: { app: 'db' } },
    ingress: [{ from: [{ podSelector: { matchLabels: { app: 'shop' } } }], ports }],
  });
  const far = (namespaceSelector: object) =>
    policy(
      'db',
      {
        podSelector: { matchLabels: { app: 'db' } },
        policyTypes: ['Ingress', 'Egress'],
        ingress: [
          { from: [{ ipBlock: { cidr: '10.0.0.0/8' } }, { namespaceSelector, podSelector: { matchLabels: { app: 'shop' } } }], ports },
        ],
        egress: [{ to: [{ namespaceSelector, podSelector: { matchLabels: { app: 'shop' } } }] }],
      },
      { namespace: 'data', uid: 'x' },
    );
  const byName = { matchLabels: { 'kubernetes.io/metadata.name': namespace } };

  it('without the right to make companions, a budget and a VPA are warnings, and NetworkPolicies a refusal with manifests', () => {
    const budget = object('policy/v1', 'PodDisruptionBudget', 'shop', { selector: { matchLabels: { app: 'shop' } } });
    const vpa = object('autoscaling.k8s.io/v1', 'VerticalPodAutoscaler', 'shop', { targetRef: { kind: 'Deployment', name: 'shop' } });
    const own = policy('shop', { podSelector: { matchLabels: { app: 'shop' } }, ingress: [] });
    const losses = lossesOf([budget, vpa, own, near], []);
    expect(kindsOf(losses)).toEqual([
      ['NetworkPolicy', 'shop', true],
      ['NetworkPolicy', 'db', true],
      ['PodDisruptionBudget', 'shop', false],
      ['VerticalPodAutoscaler', 'shop', false],
    ]);
    const manifests = manifestsOf(losses);
    expect(lossesOf([budget, vpa, own, near, ...manifests], [])).toEqual([]);
    expect(lossesOf([budget, vpa, own, near])).toEqual([]);
  });

  it('in another namespace, a policy that admits the target is refused with a manifest of that namespace, which is enough', () => {
    const [loss, ...more] = lossesOf([far(byName)]);
    expect(loss && lossText(loss, namespace)).toBe(
      'NetworkPolicy data/db: spec.ingress[0].from admits requests from the pods of Deployment shop and not those of shop-primary: they cannot call the pods that it protects. To keep it, apply db-shop-primary beside it, which serin preflight --manifests prints; or also admit app: shop-primary there',
    );
    expect(manifestsOf([...(loss ? [loss] : []), ...more])).toEqual([
      policy(
        'db-shop-primary',
        {
          podSelector: { matchLabels: { app: 'db' } },
          policyTypes: ['Ingress', 'Egress'],
          ingress: [{ from: [{ namespaceSelector: byName, podSelector: { matchLabels: { app: 'shop-primary' } } }], ports }],
          egress: [{ to: [{ namespaceSelector: byName, podSelector: { matchLabels: { app: 'shop-primary' } } }] }],
        },
        { namespace: 'data' },
      ),
    ]);
    expect(lossesOf([far(byName), ...manifestsOf(loss ? [loss] : [])])).toEqual([]);
  });

  it('labels of the namespace count if they are known', () => {
    const home = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels: { team: 'shop' } } };
    const byLabel = far({ matchLabels: { team: 'shop' } });
    expect(kindsOf(lossesOf([byLabel, home]))).toEqual([
      ['NetworkPolicy', 'db', true],
      ['NetworkPolicy', 'db', true],
    ]);
    expect(lossesOf([byLabel, { ...home, metadata: { name: namespace, labels: { team: 'cart' } } }])).toEqual([]);
  });
});

describe('I17: a NetworkPolicy that begins to select the primary', () => {
  const podSelector: LabelSelector = { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['shop'] }] };
  const others = (from: Labels) =>
    policy('others', { podSelector, policyTypes: ['Ingress'], ingress: [{ from: [{ podSelector: { matchLabels: from } }] }] });
  const settings = { selectorLabels: ['app'], provider: 'istio', mode: 'refuse', isServing: false } as const;
  const refusedOf = (objects: KubeObject[], companions: ArrivalSettings['companions'] = companionNames) => {
    const plan = planFor(canary(), { target, objects: [target, apex, ...objects] }, { ...settings, companions });
    return plan === undefined || 'problem' in plan ? [] : plan.losses.map(({ object: { name }, isRefused }) => [name, isRefused]);
  };

  it('has a companion that leaves the primary open, and refuses nothing', () => {
    expect(refusedOf([others({ app: 'blog' })])).toEqual([]);
    expect(refusedOf([others({ app: 'blog' })], [])).toEqual([['others', true]]);
  });

  it('is refused if another policy limits the target, also if it has a companion for its peers', () => {
    const whole = policy('whole', { podSelector: {}, policyTypes: ['Ingress'] });
    expect(refusedOf([others({ app: 'shop' }), whole])).toEqual([['others', true]]);
  });
});

describe('I17: a budget that lets no pod of a small canary be evicted', () => {
  const hpa = (minReplicas: number | undefined, metadata: object = {}) =>
    object(
      'autoscaling/v2',
      'HorizontalPodAutoscaler',
      'shop',
      { scaleTargetRef: { kind: 'Deployment', name: 'shop' }, minReplicas },
      metadata,
    );
  const budget = (spec: object, labels: Labels = { app: 'shop' }) =>
    object('policy/v1', 'PodDisruptionBudget', 'shop', { selector: { matchLabels: labels }, ...spec });
  const named = (kind: string) => {
    const one = canary();
    return { ...one, spec: { ...one.spec, autoscalerRef: { apiVersion: 'x', kind, name: 'shop' } } } as Canary;
  };
  const saidOf = (replicas: number, objects: KubeObject[], kind = 'HorizontalPodAutoscaler') => {
    const settings = { selectorLabels: ['app'], companions: companionNames, provider: 'istio', mode: 'refuse', isServing: false } as const;
    const grown = { ...target, spec: { ...(target.spec as object), replicas } };
    const plan = planFor(named(kind), { target: grown, objects: [grown, apex, ...objects] }, settings);
    return plan === undefined || 'problem' in plan ? [] : said(plan.losses);
  };

  it('is a warning if the application has had more pods', () => {
    expect(saidOf(6, [hpa(2), budget({ minAvailable: 3 })])).toEqual([
      'warning: PodDisruptionBudget shop: spec.minAvailable is 3, and a canary starts with 2 pods, minReplicas of HorizontalPodAutoscaler shop: a drain cannot evict any of them. To keep it, let it have maxUnavailable: 1 instead, or raise minReplicas above it',
    ]);
    expect(saidOf(6, [hpa(undefined), budget({ minAvailable: '50%' })])).toHaveLength(1);
  });

  it.each([
    ['leaves one of them', 6, [hpa(2), budget({ minAvailable: 1 })]],
    ['says what may be unavailable', 6, [hpa(1), budget({ maxUnavailable: '10%' })]],
    ['lets none be evicted anyway', 2, [hpa(2), budget({ minAvailable: 2 })]],
    ['lets none be evicted at all', 6, [hpa(2), budget({ maxUnavailable: 0 })]],
    ['is of both sides', 6, [hpa(2), budget({ minAvailable: 3 }, { tier: 'web' })]],
    ['is of others', 6, [hpa(2), budget({ minAvailable: 3 }, { app: 'blog' })]],
    ['cannot be read', 6, [hpa(2), budget({ minAvailable: 'x' })]],
  ])('gives no warning if it %s', (_, replicas, objects) => {
    expect(saidOf(replicas, objects)).toEqual([]);
  });

  it('the scaler that KEDA makes counts as the ScaledObject that the Canary names', () => {
    const ofKeda = hpa(1, { ownerReferences: [{ apiVersion: 'keda.sh/v1alpha1', kind: 'ScaledObject', name: 'shop', uid: 'u' }] });
    expect(saidOf(6, [ofKeda, budget({ minAvailable: 3 })], 'ScaledObject')).toEqual([
      expect.stringContaining('starts with 1 pod, minReplicas of'),
    ]);
    expect(saidOf(6, [ofKeda], 'ScaledObject')).toEqual([]);
    expect(said(planOf([ofKeda]).losses)).toEqual([expect.stringContaining('name ScaledObject shop in spec.autoscalerRef of the Canary')]);
  });
});

describe('I17: settings that the routes of the provider do not keep', () => {
  const route = (destination: object): KubeObject =>
    object('networking.istio.io/v1', 'VirtualService', 'shop', { hosts: ['shop'], http: [{ route: [{ destination }] }] });
  const ofSome = object('networking.istio.io/v1', 'DestinationRule', 'some', {
    ...{ host: 'shop', trafficPolicy: {}, workloadSelector: { matchLabels: { app: 'web' } } },
  });
  const lossesOf = (objects: KubeObject[], provider: Provider) => {
    const settings = { selectorLabels: ['app'], companions: [], provider, mode: 'refuse', isServing: false } as const;
    const plan = planFor(canary(), { target, objects: [target, apex, ...objects] }, settings);
    return plan === undefined || 'problem' in plan
      ? []
      : plan.losses.map(({ code, object: { kind, name }, isRefused }) => [code, kind, name, isRefused]);
  };

  it('a route to a subset is refused, and a rule that holds only for some clients is a warning', () => {
    const objects = [route({ host: 'shop', subset: 'v1' }), ofSome];
    expect(lossesOf(objects, 'istio')).toEqual([
      ['EndpointsWouldBeLost', 'VirtualService', 'shop', true],
      ['WouldBeLost', 'DestinationRule', 'some', false],
    ]);
    expect(lossesOf(objects, 'linkerd')).toEqual([]);
    expect(lossesOf([route({ host: 'shop' })], 'istio')).toEqual([]);
  });
});

describe('I17: refusals at an arrival', () => {
  const lost = istio('AuthorizationPolicy', 'shop', { app: 'shop' });

  it('a loss is only a warning if the primary serves already, or if the controller only warns', () => {
    expect(planOf([lost], { isServing: true }).losses.map(({ isRefused }) => isRefused)).toEqual([false]);
    expect(planOf([lost], { mode: 'warn' }).losses.map(({ isRefused }) => isRefused)).toEqual([false]);
  });

  it('a loss is only a warning if the object says that it is accepted', () => {
    const accepted = { ...lost, metadata: { ...lost.metadata, annotations: { [acceptedLossAnnotation]: 'accepted' } } };
    expect(planOf([accepted]).losses.map(({ isRefused }) => isRefused)).toEqual([false]);
  });

  it('refused losses are listed before warnings', () => {
    const pdb = object('policy/v1', 'PodDisruptionBudget', 'shop', { selector: { matchLabels: { app: 'shop' } } });
    expect(planOf([pdb, lost]).losses.map(({ object: { kind } }) => kind)).toEqual(['AuthorizationPolicy', 'PodDisruptionBudget']);
  });
});

describe('objects that no API server would accept', () => {
  const settings = { selectorLabels: ['app'], companions: companionNames, mode: 'refuse', isServing: false } as const;
  const ref = (kind: string) => ({ apiVersion: 'x/v1', kind, name: 'web' });
  const nonsense = [null, 0, 'x', [], [null], { matchLabels: 'x' }, { matchExpressions: [{ key: 1 }] }, { labels: [1] }];
  const kinds = [
    ...readKinds.map(({ group, versions: [version = ''], kind }) => [group === '' ? version : `${group}/${version}`, kind] as const),
  ];
  const fields = [
    'selector',
    'podSelector',
    'endpointSelector',
    'workloadSelector',
    'ingress',
    'targetRef',
    'targetRefs',
    'template',
    'jobTemplate',
    'namespaceSelector',
    'ports',
    ...['rules', 'defaultBackend', 'http', 'weighted', 'routes', 'backends', 'matches', 'provider', 'conf'],
  ];
  const referring: Canary = { ...canary(), spec: { ...canary().spec, ingressRef: ref('Ingress'), routeRef: ref('ApisixRoute') } } as Canary;

  it.each(kinds)('of %s %s is passed over', (apiVersion, kind) => {
    const objects = fields.flatMap((field) =>
      nonsense.flatMap((value, index) =>
        [`${field.toLowerCase()}-${index}`, 'shop'].map((name) => object(apiVersion, kind, name, { [field]: value })),
      ),
    );
    const { providers = ['istio' as const] } = readKinds.find((one) => one.kind === kind && one.group === groupOf(apiVersion)) ?? {};
    for (const provider of providers)
      for (const one of [...objects, { ...apex, spec: null }])
        expect(() => planFor(referring, { target, objects: [target, apex, one] }, { ...settings, provider })).not.toThrow();
  });
});
