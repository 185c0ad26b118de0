import { describe, expect, it } from 'vitest';
import type { LabelSelector } from '../../api/kinds/label-selector.ts';
import type { KubeObject, Labels } from '../../api/kube-object.ts';
import { ownerAnnotation } from '../../api/names.ts';
import type { CompanionSides } from './companion.ts';
import { type CompanionName, companionAnnotation, companionKinds, companionSides, companionsFor, MOST_SOURCES } from './index.ts';

const namespace = 'test';
const canary = { metadata: { uid: 'u1' } };
const everyKind = Object.keys(companionKinds) as CompanionName[];

const object = (apiVersion: string, kind: string, name: string, spec: object, metadata: object = {}): KubeObject => ({
  ...{ apiVersion, kind },
  metadata: { name, namespace, ...metadata },
  spec,
});
const workload = (name: string, labels: Labels, metadata: object = {}): KubeObject =>
  object('apps/v1', 'Deployment', name, { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: {} } }, metadata);
const by = (matchLabels: Labels): LabelSelector => ({ matchLabels });
const pdb = (name: string, selector: LabelSelector | undefined, more: object = { minAvailable: 1 }, metadata: object = {}) =>
  object('policy/v1', 'PodDisruptionBudget', name, { ...more, ...(selector && { selector }) }, metadata);
const policy = (name: string, spec: object, metadata: object = {}) => object('networking.k8s.io/v1', 'NetworkPolicy', name, spec, metadata);
const vpa = (name: string, targetRef: object, more: object = {}) =>
  object('autoscaling.k8s.io/v1', 'VerticalPodAutoscaler', name, { targetRef, ...more });

const shop = { app: 'shop', tier: 'web' };
const shopPrimary = by({ app: 'shop-primary', tier: 'web' });
const toPrimary = { podSelector: shopPrimary };
const refs = {
  target: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop', namespace },
  primary: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop-primary', namespace },
};
const selector = { key: 'app', target: 'shop', primary: 'shop-primary' };

function sidesOf(target = workload('shop', shop), primary?: KubeObject, namespaceLabels?: Labels): CompanionSides {
  const sides = companionSides(refs, { target, primary }, selector, namespaceLabels);
  if (sides === undefined) throw new Error('no side');
  return sides;
}

const cartSides = companionSides(
  { target: { ...refs.target, name: 'cart' }, primary: { ...refs.primary, name: 'cart-primary' } },
  { target: workload('cart', { app: 'cart' }) },
  { key: 'app', target: 'cart', primary: 'cart-primary' },
) as CompanionSides;

function planOf(objects: KubeObject[], sides = sidesOf(), owner: typeof canary = canary) {
  const { companions, without, superfluous } = companionsFor(owner, sides, objects, everyKind);
  return {
    made: Object.fromEntries(companions.map(({ object: { metadata, spec } }) => [metadata.name, spec])),
    without: without.map(({ source, code }) => `${source.name}: ${code}`),
    superfluous: superfluous.map(({ name }) => name),
    objects: companions.map((one) => one.object),
  };
}
const nothing = { made: {}, without: [] };

describe('I17: a PodDisruptionBudget', () => {
  it('a budget of the target has a companion for the primary, with the same spec and our marks', () => {
    const labels = { team: 'shop', 'kustomize.toolkit.fluxcd.io/name': 'apps' };
    const source = pdb('shop', by({ app: 'shop' }), { maxUnavailable: '25%', unhealthyPodEvictionPolicy: 'AlwaysAllow' }, { labels });
    expect(planOf([source]).objects).toEqual([
      {
        ...{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' },
        metadata: {
          ...{ name: 'shop-primary', namespace },
          labels: { team: 'shop' },
          annotations: { [ownerAnnotation]: 'u1', [companionAnnotation]: 'shop' },
        },
        spec: { maxUnavailable: '25%', unhealthyPodEvictionPolicy: 'AlwaysAllow', selector: shopPrimary },
      },
    ]);
  });

  it.each<[string, LabelSelector | undefined]>([
    ['another application', by({ app: 'cart' })],
    ['none', undefined],
    ['none of these labels', { matchExpressions: [{ key: 'app', operator: 'DoesNotExist' }] }],
    ['an operator of the future', { matchExpressions: [{ key: 'app', operator: 'Gt', values: ['1'] }] }],
  ])('a budget of %s has no companion', (_, one) => expect(planOf([pdb('shop', one)])).toMatchObject(nothing));

  it.each<[string, LabelSelector]>([
    ['a label of both sides', by({ tier: 'web' })],
    ['all pods', {}],
    ['all but others', { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['cart'] }] }],
  ])('a budget by %s holds for the primary, and has no companion', (_, one) =>
    expect(planOf([pdb('shop', one)])).toMatchObject({ made: {}, without: ['shop: selectsBoth'] }),
  );

  it.each<[string, LabelSelector]>([
    ['one of several values', { matchExpressions: [{ key: 'app', operator: 'In', values: ['shop', 'cart'] }] }],
    ['all but the primary', { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['shop-primary'] }] }],
    ['another label beside it', by({ app: 'shop', tier: 'web' })],
  ])('a budget by %s has a companion that selects the primary and no other workload', (_, one) =>
    expect(planOf([pdb('shop', one)]).made).toEqual({ 'shop-primary': { minAvailable: 1, selector: shopPrimary } }),
  );

  it('a budget has no companion if a budget of the user selects the primary: pods under two cannot be evicted', () => {
    const own = pdb('mine', by({ app: 'shop-primary' }));
    expect(planOf([pdb('shop', by({ app: 'shop' })), own])).toMatchObject({ made: {}, without: ['shop: hasOwn'] });
    expect(planOf([pdb('shop', by({ app: 'shop' })), pdb('web', by({ tier: 'web' }))])).toMatchObject({
      made: {},
      without: ['web: selectsBoth', 'shop: hasOwn'],
    });
  });

  it('only one of two budgets over the target has a companion', () => {
    const { made, without } = planOf([pdb('b', by({ app: 'shop' })), pdb('a', by(shop))]);
    expect([Object.keys(made), without]).toEqual([['a-primary'], ['b: hasOwn']]);
  });

  it('a budget of another namespace selects other pods', () =>
    expect(planOf([pdb('shop', by({ app: 'shop' }), {}, { namespace: 'other' })])).toMatchObject(nothing));

  it('a budget by a label that the target has and the primary gets with its promotion keeps its companion', () => {
    const target = workload('shop', shop);
    const sides = sidesOf(
      { ...target, spec: { selector: by(shop), template: { metadata: { labels: { ...shop, version: '2' } }, spec: {} } } },
      workload('shop-primary', { app: 'shop-primary', tier: 'web' }),
    );
    const made = { 'shop-primary': { minAvailable: 1, selector: shopPrimary } };
    expect(planOf([pdb('shop', by({ app: 'shop', version: '2' }))], sides).made).toEqual(made);
    expect(planOf([pdb('shop', by({ app: 'shop' }))], sides).made).toEqual(made);
  });
});

describe('an existing companion', () => {
  const source = pdb('shop', by({ app: 'shop' }));
  const [made] = planOf([source]).objects as [KubeObject];
  const with_ = (annotations: Labels) => ({
    ...made,
    metadata: { ...made.metadata, annotations: { ...made.metadata.annotations, ...annotations } },
  });

  it('is not a source, and does not count as an object of the user', () =>
    expect(planOf([source, made])).toMatchObject({ made: { 'shop-primary': made.spec }, without: [], superfluous: [] }));

  it.each([
    ['the source is gone', []],
    ['the source selects others', [pdb('shop', by({ app: 'cart' }))]],
    ['the user has one', [source, pdb('mine', by({ app: 'shop-primary' }))]],
  ])('is superfluous if %s', (_, others) => expect(planOf([made, ...others])).toMatchObject({ made: {}, superfluous: ['shop-primary'] }));

  it('is the user’s if a deployment tool has applied a manifest over it', () => {
    const applied = with_({ 'kubectl.kubernetes.io/last-applied-configuration': '{}' });
    expect(planOf([source, applied])).toMatchObject({ made: {}, without: ['shop: hasOwn'], superfluous: [] });
  });

  it('keeps its name if it belongs to another Canary, and this one takes another name', () => {
    const several = pdb('web', { matchExpressions: [{ key: 'app', operator: 'In', values: ['shop', 'cart'] }] });
    const theirs = {
      ...made,
      metadata: { ...made.metadata, name: 'web-primary', annotations: { [ownerAnnotation]: 'u2', [companionAnnotation]: 'web' } },
    };
    const cart = { ...theirs, spec: { selector: by({ app: 'cart-primary' }) } };
    const { made: own, superfluous } = planOf([several, cart]);
    expect([Object.keys(own), superfluous]).toEqual([['web-of-shop-primary'], []]);
    const [second] = planOf([several, cart]).objects as [KubeObject];
    // It keeps its name when the other one is deleted.
    expect(Object.keys(planOf([several, second]).made)).toEqual(['web-of-shop-primary']);
  });

  it('does not take the name of an object of the user', () => {
    const theirs = pdb('shop-primary', by({ app: 'elsewhere' }));
    expect(Object.keys(planOf([source, theirs]).made)).toEqual(['shop-of-shop-primary']);
    const both = [theirs, pdb('shop-of-shop-primary', by({ app: 'elsewhere' }))];
    expect(planOf([source, ...both])).toMatchObject({ made: {}, without: ['shop: nameTaken'] });
  });
});

describe('I17: a VerticalPodAutoscaler', () => {
  const ref = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop' };
  it('a VPA of the target has a companion for the primary', () => {
    const more = { updatePolicy: { updateMode: 'Auto' } };
    expect(planOf([vpa('shop', ref, more)]).made).toEqual({ 'shop-primary': { ...more, targetRef: { ...ref, name: 'shop-primary' } } });
  });
  it.each([
    ['another workload', { ...ref, name: 'cart' }],
    ['another kind of the same name', { ...ref, kind: 'StatefulSet' }],
  ])('a VPA of %s has no companion', (_, one) => expect(planOf([vpa('shop', one)])).toMatchObject(nothing));
  it('a VPA has no companion if the user has one for the primary', () =>
    expect(planOf([vpa('shop', ref), vpa('mine', { ...ref, name: 'shop-primary' })])).toMatchObject({
      made: {},
      without: ['shop: hasOwn'],
    }));
  it('a VPA of the owner of the target cannot have a companion', () => {
    const owner = { apiVersion: 'example.com/v1', kind: 'Shop', name: 'shop', uid: 'o' };
    const sides = sidesOf(workload('shop', shop, { ownerReferences: [owner] }));
    expect(planOf([vpa('shop', { apiVersion: 'example.com/v1', kind: 'Shop', name: 'shop' })], sides)).toMatchObject({
      made: {},
      without: ['shop: anotherTarget'],
    });
  });
});

describe('I17: a NetworkPolicy', () => {
  const ports = [{ protocol: 'TCP', port: 5432 }];
  const from = (matchLabels: Labels, more: object = {}) => ({ from: [{ podSelector: by(matchLabels), ...more }], ports });

  it('a policy of the target has a companion for the primary, with the same rules', () => {
    const rules = {
      policyTypes: ['Ingress', 'Egress'],
      ingress: [from({ app: 'gateway' })],
      egress: [{ to: [{ ipBlock: { cidr: '10.0.0.0/8' } }] }],
    };
    expect(planOf([policy('shop', { podSelector: by({ app: 'shop' }), ...rules })]).made).toEqual({
      'shop-primary': { podSelector: shopPrimary, ...rules },
    });
  });

  it('a policy that admits nothing has a companion that admits nothing', () =>
    expect(planOf([policy('shop', { podSelector: by({ app: 'shop' }), policyTypes: ['Ingress'] })]).made).toEqual({
      'shop-primary': { podSelector: shopPrimary, policyTypes: ['Ingress'] },
    }));

  it('a policy of all pods needs no companion', () =>
    expect(planOf([policy('deny', { podSelector: {}, policyTypes: ['Ingress'] })])).toMatchObject({
      made: {},
      without: ['deny: selectsBoth'],
    }));

  it('a policy that leaves the target out, and so begins to select the primary, is neither a source nor one for the primary', () => {
    const others = policy('others', {
      podSelector: { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['shop'] }] },
      policyTypes: ['Ingress'],
    });
    expect(planOf([others])).toMatchObject(nothing);
    expect(Object.keys(planOf([others, policy('shop', { podSelector: by({ app: 'shop' }), policyTypes: ['Ingress'] })]).made)).toEqual([
      'shop-primary',
    ]);
  });

  it('a policy of another workload that admits the target has a companion that admits the primary', () => {
    const db = policy('db', {
      podSelector: by({ app: 'db' }),
      policyTypes: ['Ingress', 'Egress'],
      ingress: [from({ app: 'cart' }), from({ app: 'shop' })],
      egress: [],
    });
    expect(planOf([db]).made).toEqual({
      'db-shop-primary': { podSelector: by({ app: 'db' }), policyTypes: ['Ingress'], ingress: [{ from: [toPrimary], ports }] },
    });
  });

  it('a policy of another workload that calls the target has a companion with which it can call the primary', () => {
    const client = policy('client', {
      podSelector: by({ app: 'client' }),
      policyTypes: ['Egress'],
      egress: [{ to: [{ podSelector: by({ app: 'shop' }) }, { ipBlock: { cidr: '10.0.0.0/8' } }] }],
    });
    expect(planOf([client]).made).toEqual({
      'client-shop-primary': { podSelector: by({ app: 'client' }), policyTypes: ['Egress'], egress: [{ to: [toPrimary] }] },
    });
  });

  it('a policy by which pods of the target call each other admits both sides on both', () => {
    const spec = { podSelector: by({ app: 'shop' }), policyTypes: ['Ingress'], ingress: [from({ app: 'shop' })] };
    expect(planOf([policy('shop', spec)]).made).toEqual({
      'shop-primary': {
        podSelector: shopPrimary,
        policyTypes: ['Ingress'],
        ingress: [{ from: [{ podSelector: by({ app: 'shop' }) }, toPrimary], ports }],
      },
      'shop-shop-primary': { podSelector: by({ app: 'shop' }), policyTypes: ['Ingress'], ingress: [{ from: [toPrimary], ports }] },
    });
  });

  const db = (ingress: object[], metadata: object = {}) =>
    policy('db', { podSelector: by({ app: 'db' }), policyTypes: ['Ingress'], ingress }, metadata);
  it.each<[string, KubeObject[]]>([
    ['that admits both sides', [db([from({ tier: 'web' })])]],
    ['that admits all pods of the namespace', [db([{ from: [{ podSelector: {} }] }])]],
    ['that admits everyone', [db([{ ports }])]],
    ['that admits addresses', [db([{ from: [{ ipBlock: { cidr: '10.0.0.0/8' } }] }])]],
    ['that admits the primary by another rule', [db([from({ app: 'shop' }), from({ app: 'shop-primary' })])]],
    [
      'of which another admits the primary',
      [db([from({ app: 'shop' })]), policy('db-2', { podSelector: by({ app: 'db' }), ingress: [from({ app: 'shop-primary' })] })],
    ],
    [
      'that admits pods of another namespace',
      [db([from({ app: 'shop' }, { namespaceSelector: by({ 'kubernetes.io/metadata.name': 'other' }) })])],
    ],
    [
      'whose list does not count',
      [policy('db', { podSelector: by({ app: 'db' }), policyTypes: ['Egress'], ingress: [from({ app: 'shop' })] })],
    ],
  ])('a policy %s needs no companion', (_, objects) => expect(planOf(objects)).toMatchObject(nothing));

  it('a policy that admits the target in this namespace by name, or in all, admits only the primary of this namespace', () => {
    for (const namespaceSelector of [by({ 'kubernetes.io/metadata.name': namespace }), {}])
      expect(planOf([db([from({ app: 'shop' }, { namespaceSelector })])]).made).toMatchObject({
        'db-shop-primary': { ingress: [{ from: [toPrimary] }] },
      });
  });

  it('a policy that admits namespaces by a label is reported as not checked if the labels are not known', () => {
    const one = db([from({ app: 'shop' }, { namespaceSelector: by({ team: 'shop' }) })]);
    expect(planOf([one])).toMatchObject({ made: {}, without: ['db: namespaceUnknown'] });
    expect(planOf([one], sidesOf(undefined, undefined, { team: 'cart' }))).toMatchObject(nothing);
    expect(Object.keys(planOf([one], sidesOf(undefined, undefined, { team: 'shop' })).made)).toEqual(['db-shop-primary']);
  });

  it('a policy of another namespace that admits the target cannot have a companion', () => {
    const far = { namespaceSelector: by({ 'kubernetes.io/metadata.name': namespace }) };
    expect(planOf([db([from({ app: 'shop' }, far)], { namespace: 'data' })])).toMatchObject({
      made: {},
      without: ['db: anotherNamespace'],
    });
    expect(planOf([db([from({ app: 'shop' })], { namespace: 'data' })])).toMatchObject(nothing);
  });

  const butShop: LabelSelector = { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['shop'] }] };
  const others = (more: object = {}) =>
    policy('others', { podSelector: butShop, policyTypes: ['Ingress'], ingress: [from({ app: 'x' })], ...more });

  it('a policy that leaves the target out and begins to select the primary has a companion that leaves the primary as open as the target', () => {
    expect(planOf([others()])).toMatchObject({
      made: { 'others-primary': { podSelector: shopPrimary, policyTypes: ['Ingress'], ingress: [{}] } },
      without: [],
    });
    expect(planOf([others({ policyTypes: ['Ingress', 'Egress'] })]).made).toEqual({
      'others-primary': { podSelector: shopPrimary, policyTypes: ['Ingress', 'Egress'], ingress: [{}], egress: [{}] },
    });
  });

  it('such a policy has no companion if another one limits the target: its rules would open only the primary', () => {
    const whole = policy('whole', { podSelector: {}, policyTypes: ['Ingress'] });
    const own = policy('shop', { podSelector: by({ app: 'shop' }), policyTypes: ['Ingress'] });
    expect(planOf([others(), whole])).toMatchObject({ made: {}, without: ['others: addsRules', 'whole: selectsBoth'] });
    expect(Object.keys(planOf([others(), own]).made)).toEqual(['shop-primary']);
    expect(planOf([others({ ingress: [] }), whole])).toMatchObject({ made: {}, without: ['whole: selectsBoth'] });
    const egress = others({ policyTypes: ['Ingress', 'Egress'], ingress: [], egress: [] });
    expect(planOf([egress, whole]).made).toEqual({ 'others-primary': { podSelector: shopPrimary, policyTypes: ['Egress'], egress: [{}] } });
  });

  it('such a policy has no companion if a policy of the user limits the primary', () => {
    const mine = policy('mine', { podSelector: by({ app: 'shop-primary' }), policyTypes: ['Ingress'], ingress: [] });
    expect(planOf([others(), mine])).toMatchObject({ made: {}, without: ['others: addsRules'] });
  });

  it('a policy of the user for the primary is enough, in the directions that it has', () => {
    const own = policy('mine', { podSelector: by({ app: 'shop-primary' }), policyTypes: ['Ingress'], ingress: [{}] });
    const ofIngress = policy('shop', { podSelector: by({ app: 'shop' }), policyTypes: ['Ingress'] });
    expect(planOf([ofIngress, own])).toMatchObject({ made: {}, without: ['shop: hasOwn'] });
    const ofBoth = policy('shop', { podSelector: by({ app: 'shop' }), policyTypes: ['Ingress', 'Egress'], egress: [{ ports }] });
    expect(planOf([ofBoth, own]).made).toEqual({
      'shop-primary': { podSelector: shopPrimary, policyTypes: ['Egress'], egress: [{ ports }] },
    });
  });

  it('a policy of another Canary’s primary also admits the primary, as its source does', () => {
    const cartPrimary = by({ app: 'cart-primary' });
    const ofCart = policy('cart', { podSelector: by({ app: 'cart' }), policyTypes: ['Ingress'], ingress: [from({ app: 'shop' })] });
    const annotations = { [ownerAnnotation]: 'u2', [companionAnnotation]: 'cart' };
    const theirs = policy('cart-primary', { ...(ofCart.spec as object), podSelector: cartPrimary }, { annotations });
    const { made, objects } = planOf([ofCart, theirs]);
    const ingress = [{ from: [toPrimary], ports }];
    expect(made).toEqual({
      'cart-shop-primary': { podSelector: by({ app: 'cart' }), policyTypes: ['Ingress'], ingress },
      'cart-primary-shop-primary': { podSelector: cartPrimary, policyTypes: ['Ingress'], ingress },
    });
    // Companions of this Canary lead to no further companions, and neither do the other Canary's companions for them.
    expect(planOf([ofCart, theirs, ...objects])).toMatchObject({ made, superfluous: [] });
    expect(planOf([ofCart, ...objects]).superfluous).toEqual(['cart-primary-shop-primary']);
    expect(companionsFor({ metadata: { uid: 'u2' } }, cartSides, [ofCart, theirs, ...objects], everyKind)).toMatchObject({
      companions: [{ object: { metadata: { name: 'cart-primary' } } }],
      superfluous: [],
    });
  });

  it('a policy that two Canaries need has a companion for each', () => {
    const both = db([{ from: [{ podSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['shop', 'cart'] }] } }] }]);
    expect(planOf([both]).made).toEqual({
      'db-shop-primary': { podSelector: by({ app: 'db' }), policyTypes: ['Ingress'], ingress: [{ from: [toPrimary] }] },
    });
  });
});

it('I15: objects beyond the maximum of one reconcile are named', () => {
  const many = Array.from({ length: MOST_SOURCES + 1 }, (_, index) => pdb(`p${String(index).padStart(4, '0')}`, by({ app: 'other' })));
  expect(planOf(many)).toMatchObject({ made: {}, without: [`p0${MOST_SOURCES}: tooMany`] });
});

it('a deleted target leaves the companions unchanged', () => {
  const primary = workload('shop-primary', { app: 'shop-primary', tier: 'web' });
  const sides = companionSides(refs, { primary }, selector);
  expect(sides && planOf([pdb('shop', by({ app: 'shop' }))], sides).made).toEqual({
    'shop-primary': { minAvailable: 1, selector: shopPrimary },
  });
});
