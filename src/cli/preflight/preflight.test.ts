import { describe, expect, it } from 'vitest';
import type { KubeObject, Labels } from '../../api/kube-object.ts';
import { ownerAnnotation } from '../../api/names.ts';
import { originalSelectorAnnotation } from '../../arrival/followers.ts';
import { companionAnnotation, companionNames } from '../../workloads/companions/index.ts';
import { preflightLines } from './preflight-lines.ts';
import { preflight } from './read-application.ts';

const namespace = 'test';
const object = (apiVersion: string, kind: string, name: string, spec: object, metadata: object = {}): KubeObject => ({
  ...{ apiVersion, kind },
  metadata: { name, namespace, ...metadata },
  spec,
});
const workload = (name: string, labels: Labels): KubeObject =>
  object('apps/v1', 'Deployment', name, {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [] } },
  });
const service = (name: string, selector: Labels, metadata: object = {}): KubeObject =>
  object('v1', 'Service', name, { selector, ports: [{ port: 80 }] }, metadata);
const budget = object('policy/v1', 'PodDisruptionBudget', 'shop', { minAvailable: 1, selector: { matchLabels: { app: 'shop' } } });

const canary = object(
  'flagger.app/v1beta1',
  'Canary',
  'shop',
  {
    targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop' },
    service: { port: 80 },
    analysis: { interval: '1m', threshold: 5, iterations: 1 },
  },
  { uid: 'u' },
);
const target = workload('shop', { app: 'shop' });
const settings = { selectorLabels: ['app'], companions: companionNames, provider: undefined };
const looked = (...objects: KubeObject[]) => preflight(canary, async () => ({ objects: [target, ...objects], unread: [] }), settings);

describe('serin preflight', () => {
  it('I17: names routes that lead to the application and are not listed, also routes of other namespaces', async () => {
    const leading = (name: string, where: string) =>
      object(
        'networking.istio.io/v1',
        'VirtualService',
        name,
        { hosts: [`${name}.example.org`], http: [{ route: [{ destination: { host: 'shop.test.svc.cluster.local' } }] }] },
        { namespace: where },
      );
    const objects = [
      target,
      service('shop', { app: 'shop' }),
      leading('shop', namespace),
      leading('web', namespace),
      leading('all', 'edge'),
    ];
    const { losses } = await preflight(canary, async () => ({ objects, unread: [] }), { ...settings, provider: 'istio' });
    expect(losses.map((loss) => [loss.refused, loss.object.namespace, loss.object.name])).toEqual([
      [false, namespace, 'web'],
      [false, 'edge', 'all'],
    ]);
  });

  it('names routes of users that are split, their rules and destinations, and fields that they make void', async () => {
    const to = (host: string) => ({ match: [{ uri: { prefix: `/${host}` } }], route: [{ destination: { host } }] });
    const helm = { annotations: { 'meta.helm.sh/release-name': 'shop' } };
    const virtualService = (name: string, ...http: object[]) =>
      object('networking.istio.io/v1', 'VirtualService', name, { hosts: [`${name}.example.org`], http }, helm);
    const split = { destination: { host: 'shop-primary' }, weight: 100 };
    const spec = {
      ...(canary.spec as object),
      routeRefs: [{ apiVersion: 'networking.istio.io/v1', kind: 'VirtualService', name: 'web' }],
      service: { port: 80, timeout: '3s' },
    };
    const objects = [
      target,
      virtualService('shop', to('static'), to('shop')),
      virtualService('web', { route: [split, { destination: { host: 'shop-canary' }, weight: 0 }] }),
    ];
    const read = async () => ({ objects, unread: [] });
    const found = await preflight({ ...canary, spec }, read, { ...settings, provider: 'istio' }, (path) => `shop.yaml ${path}`);
    const lines = preflightLines(found);
    expect(lines.filter((line) => /VirtualService (shop|web): spec/.test(line))).toEqual([
      '  ~ VirtualService shop: spec.http[1] leads to shop-primary and shop-canary; all else stays',
      '    VirtualService web: spec.http[0] leads to shop-primary and shop-canary; all else stays',
    ]);
    expect(found.routes.map(({ name, rules, done }) => [name, rules, done])).toEqual([
      ['shop', ['spec.http[1]'], false],
      ['web', ['spec.http[0]'], true],
    ]);
    expect(found.appliers.map((one) => one.object.name)).toEqual(['shop', 'web']);
    expect(lines.slice(lines.indexOf('  Has no effect:'))[1]).toMatch(
      /^ {4}shop\.yaml spec\.service\.timeout spec\.service\.timeout has no effect, since VirtualService shop and 1 more are yours/,
    );
  });

  it('before the arrival lists the objects that are made, changed and followed', async () => {
    const apex = service('shop', { app: 'shop' });
    expect(preflightLines(await looked(apex, service('shop-admin', { app: 'shop' }), budget)).slice(0, 7)).toEqual([
      'Canary test/shop: nothing is lost',
      '  + Deployment shop-primary',
      '  ~ Service shop: its selector leads to the primary',
      '  + Service shop-primary',
      '  + Service shop-canary',
      '  ~ Service shop-admin: its selector follows',
      '  + PodDisruptionBudget shop-primary: for the primary, beside shop',
    ]);
  });

  it.each([
    { guard: 'inForce', line: /^ {4}Service shop, shop-admin: its selector stays at the primary/ },
    { guard: 'absent', line: /^ {2}\? Service shop, shop-admin: Helm, Argo CD, Flux and kubectl lead it to the target with each apply/ },
    { guard: 'notServed', line: /Kubernetes 1\.36 has the kind of the apex guard/ },
    { guard: 'unknown', line: /was not checked/ },
  ] as const)('says what tools do to the Services of users where the guard is $guard', async ({ guard, line }) => {
    const found = await looked(service('shop', { app: 'shop' }), service('shop-admin', { app: 'shop' }));
    expect(preflightLines({ ...found, guard })).toContainEqual(expect.stringMatching(line));
    expect(preflightLines({ ...(await looked()), guard }).filter((one) => line.test(one))).toEqual([]);
  });

  it('after the arrival nothing of it is to be made, and followers go on following', async () => {
    const owner = { annotations: { [originalSelectorAnnotation]: '{"app":"shop"}' } };
    const apex = service('shop', { app: 'shop-primary' });
    const made = (await looked(apex, budget)).companions.map(({ name }) => name);
    const companion = {
      ...budget,
      metadata: { name: made[0] ?? '', namespace, annotations: { [companionAnnotation]: 'shop', [ownerAnnotation]: 'u' } },
    };
    const answer = await looked(
      workload('shop-primary', { app: 'shop-primary' }),
      apex,
      service('shop-primary', { app: 'shop-primary' }),
      service('shop-canary', { app: 'shop' }),
      service('shop-admin', { app: 'shop-primary' }, owner),
      budget,
      companion,
    );
    expect(preflightLines(answer).slice(0, 7)).toEqual([
      'Canary test/shop: nothing is lost (its primary exists already)',
      '    Deployment shop-primary exists',
      '    Service shop leads to the primary',
      '    Service shop-primary exists',
      '    Service shop-canary exists',
      '    Service shop-admin follows',
      `    PodDisruptionBudget ${made[0]} exists: for the primary, beside shop`,
    ]);
    expect(answer.follows).toEqual([{ apiVersion: 'v1', kind: 'Service', name: 'shop-admin', namespace, done: true }]);
  });

  it('I17: an edit that would take requests from another route is also refused after the arrival, and the report names the spec that runs', async () => {
    const route = (name: string, host: string, metadata: object) => {
      const rules = [{ backendRefs: [{ name, port: 80 }] }];
      const spec = { parentRefs: [{ name: 'public' }], hostnames: [host], rules };
      return object('gateway.networking.k8s.io/v1', 'HTTPRoute', name, spec, metadata);
    };
    const own = route('shop', 'shop.example.org', { annotations: { [ownerAnnotation]: 'shop' } });
    const objects = [target, workload('shop-primary', { app: 'shop-primary' }), own, route('static', 'other.example.org', {})];
    const gatewayRefs = [{ name: 'public' }];
    const asked = (...hosts: string[]) => {
      const edited = { ...canary, spec: { ...(canary.spec as object), service: { port: 80, gatewayRefs, hosts } } };
      return preflight(edited, async () => ({ objects, unread: [] }), { ...settings, provider: 'gatewayapi:v1' });
    };
    expect((await asked('shop.example.org')).verdict).toBe('clean');
    const found = await asked('shop.example.org', 'other.example.org');
    expect([found.verdict, found.arrived, found.losses.map(({ refused, object: { name } }) => [refused, name])]).toEqual([
      'refused',
      true,
      [[true, 'static']],
    ]);
    expect(preflightLines(found)[0]).toBe(
      'Canary test/shop: its edit is refused, and the previous spec applies (its primary exists already)',
    );
  });

  it('the tool that applies an object which Serin writes is named, with the lines for that tool', async () => {
    const helm = { annotations: { 'meta.helm.sh/release-name': 'shop' } };
    const apex = service('shop', { app: 'shop' }, helm);
    const admin = service('shop-admin', { app: 'shop' }, { annotations: { 'argocd.argoproj.io/tracking-id': 'x' } });
    const lines = preflightLines(await looked(apex, admin, service('blog', { app: 'blog' }, helm)));
    const from = lines.findIndex((line) => line.includes('Applied by a tool'));
    expect(lines.slice(from, from + 5)).toEqual([
      '  Applied by a tool, and written by Serin (docs/gitops.md):',
      '    Service shop /spec/selector: Helm writes it back at each apply',
      '      to keep it: leave Service shop out of the chart (Serin makes one where none exists)',
      '    Service shop-admin /spec/selector: Argo CD writes it back at each apply',
      '      to keep it: in the Application, spec.ignoreDifferences: [{kind: Service, name: shop-admin, jsonPointers: [/spec/selector]}] with spec.syncPolicy.syncOptions: [RespectIgnoreDifferences=true]',
    ]);
  });

  it('a kind that could not be read is named, and nothing is said of it', async () => {
    const unread = [{ apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', why: 'it may not be listed' }];
    const answer = await preflight(canary, async () => ({ objects: [target], unread }), settings);
    const lines = preflightLines(answer);
    expect(lines[0]).toBe('Canary test/shop: nothing is lost, as far as checked');
    expect(lines).toContain('    ? NetworkPolicy (networking.k8s.io/v1): it may not be listed');
  });
});
