import { describe, expect, it } from 'vitest';
import { aCanary, anApex } from '../../../test/contracts/routers-cases.ts';
import { raw } from '../../../test/fakes/raw.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { allToPrimary, type Routes, weight } from '../../api/routes.ts';
import { originalConfig } from '../original-spec.ts';
import { type SmiVersion, smi } from './router.ts';
import { canarySplitFindings, splitFindings } from './split-findings.ts';

const router = smi('v1alpha4');
const object = (kind: 'TrafficSplit' | 'HTTPRouteGroup', spec: object, version = 'v1alpha4'): KubeObject => ({
  apiVersion: `${kind === 'TrafficSplit' ? 'split' : 'specs'}.smi-spec.io/${version}`,
  kind,
  metadata: { name: 'shop', namespace: 'prod' },
  spec,
});
const matched: Routes = { kind: 'matched', match: [{ headers: { 'x-user': { exact: 'insider' } } }] };

describe('objects from before the Canary', () => {
  const theirSplit = object('TrafficSplit', { service: 'shop', backends: [{ service: 'shop-blue', weight: 1 }] });
  const theirGroup = object('HTTPRouteGroup', { matches: [{ name: 'reads', methods: ['GET'] }] });

  it('a TrafficSplit found in place keeps its own spec aside, through every step, and has it back in the end', () => {
    const [first] = router.render(aCanary(), anApex, allToPrimary, [theirSplit]).write;
    expect(JSON.parse(first?.metadata.annotations?.[originalConfig] ?? '')).toEqual(theirSplit.spec);
    const [second] = router.render(aCanary(), anApex, { kind: 'weighted', canary: weight(10) }, first ? [first] : []).write;
    expect(second?.metadata.annotations).toEqual(first?.metadata.annotations);
    const given = router.finalize(aCanary(), second ? [second] : []);
    expect(given).toEqual({ write: [theirSplit], remove: [] });
    expect(router.finalize(aCanary(), given.write)).toEqual({ write: [], remove: [] });
  });

  it('a foreign HTTPRouteGroup of the same name is neither removed when idle nor lost in an A/B release', () => {
    expect(router.render(aCanary(), anApex, allToPrimary, [theirGroup])).toMatchObject({ write: [{ kind: 'TrafficSplit' }], remove: [] });
    const during = router.render(aCanary(), anApex, matched, [theirGroup]).write;
    const after = router.render(aCanary(), anApex, allToPrimary, during);
    expect(after.write.at(-1)).toEqual(theirGroup);
    expect(after.remove).toEqual([]);
    expect(router.finalize(aCanary(), [theirGroup])).toEqual({ write: [], remove: [] });
  });

  it('our own group goes when no condition is left', () => {
    const during = router.render(aCanary(), anApex, matched, []).write;
    expect(router.render(aCanary(), anApex, allToPrimary, during).remove).toMatchObject([{ kind: 'HTTPRouteGroup', name: 'shop' }]);
  });
});

describe('TrafficSplits, as their specification has them', () => {
  const versions: readonly SmiVersion[] = ['v1alpha1', 'v1alpha2', 'v1alpha3', 'v1alpha4'];
  const service = (name: string, ...ports: number[]): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'prod' },
    spec: { ports: ports.map((port) => ({ port })) },
  });
  const birds = (...backends: { service: string; weight?: unknown }[]) => object('TrafficSplit', { service: 'birds', backends });
  const found = (split: KubeObject, ...known: KubeObject[]) =>
    splitFindings(split, known).map(({ severity, path, message }) => `${severity} ${path} ${message}`);

  it.each(versions)('%s writes weights in its own form', (version) => {
    const [split] = smi(version).render(aCanary(), anApex, { kind: 'weighted', canary: weight(40) }, []).write;
    const form = version === 'v1alpha1' ? String : Number;
    expect(split?.apiVersion).toBe(`split.smi-spec.io/${version}`);
    expect(raw(split)?.spec.backends).toEqual([
      { service: 'shop-canary', weight: form(40) },
      { service: 'shop-primary', weight: form(60) },
    ]);
  });

  it.each([
    { what: 'quantities', weights: ['100m', '900m'], canary: 10 },
    { what: 'shares of another sum', weights: [250, 750], canary: 25 },
    { what: 'an only weight', weights: [7, 0], canary: 100 },
  ])('$what are read as percentages of their sum', ({ weights, canary }) => {
    const backends = ['shop-canary', 'shop-primary'].map((service, index) => ({ service, weight: weights[index] }));
    expect(router.readRoutes(aCanary(), [object('TrafficSplit', { service: 'shop', backends })])).toEqual({ kind: 'weighted', canary });
  });

  it.each([
    { what: 'thirds', weights: [1, 2] },
    { what: 'nothing at all', weights: [0, 0] },
    { what: 'less than nothing', weights: [-10, 110] },
    { what: 'a word', weights: ['half', 50] },
    { what: 'a third backend', weights: [50, 50, 1] },
  ])('$what is unreadable, never a guess', ({ weights }) => {
    const backends = ['shop-canary', 'shop-primary', 'other'].slice(0, weights.length);
    const split = object('TrafficSplit', {
      service: 'shop',
      backends: backends.map((service, index) => ({ service, weight: weights[index] })),
    });
    expect(router.readRoutes(aCanary(), [split])).toHaveProperty('unreadable');
  });

  it('a backend that lacks a port of the root is reported, with the port; a backend that does not exist yet is not', () => {
    const split = birds({ service: 'blue-birds', weight: 50 }, { service: 'green-birds', weight: 50 });
    const blue =
      'warning spec.backends[0].service is blue-birds, which has no port 8080 as Service birds has: it gets no requests on port 8080';
    expect(found(split, service('birds', 8080), service('blue-birds', 1024), service('green-birds', 8080))).toEqual([blue]);
    expect(found(split, service('birds', 8080), service('green-birds', 8080, 9090))).toEqual([]);
    expect(found(split, service('blue-birds', 1024))).toEqual([]);
  });

  it('Services of other namespaces are other Services', () => {
    const elsewhere = { ...service('blue-birds', 1024), metadata: { name: 'blue-birds', namespace: 'test' } };
    expect(found(birds({ service: 'blue-birds', weight: 1 }), service('birds', 8080), elsewhere)).toEqual([]);
  });

  it('a backend that is the root of another split is reported', () => {
    const inner = object('TrafficSplit', { service: 'blue-birds.prod.svc.cluster.local', backends: [] });
    inner.metadata.name = 'inner';
    expect(found(birds({ service: 'blue-birds', weight: 1 }), inner)).toEqual([
      expect.stringMatching(/^warning .* inner, .* not hierarchical$/),
    ]);
  });

  it('a split that names its own root is warned of, in any form of the root', () => {
    for (const root of ['birds', 'birds.prod', 'birds.prod.svc.cluster.local']) {
      const split = birds({ service: 'green', weight: 100 }, { service: 'birds', weight: 900 });
      raw(split).spec.service = root;
      expect(found(split)).toEqual([expect.stringMatching(/^warning spec\.backends\[1\]\.service is birds, the root itself/)]);
    }
  });

  it.each(['shop-canary', 'shop-primary', 'shop-canary.prod.svc.cluster.local'])(
    'a Canary whose root would be %s is warned of, as Linkerd takes such a split, and not refused',
    (host) => {
      const canary = aCanary({ service: { hosts: [host] } });
      expect(router.refuses?.(canary)).toBeUndefined();
      const found = canarySplitFindings(canary, []);
      expect(found).toMatchObject([
        { severity: 'warning', path: 'spec.service.hosts[0]', message: expect.stringContaining('the root itself') },
      ]);
    },
  );

  it.each([
    { version: 'v1alpha4', weights: [1.5, -1, '5'], wrong: 3 },
    { version: 'v1alpha1', weights: ['500m', 5, 'five'], wrong: 1 },
  ])('weights that $version does not allow are reported', ({ version, weights, wrong }) => {
    const backends = weights.map((weight, index) => ({ service: `birds-${index}`, weight }));
    const found = splitFindings(object('TrafficSplit', { service: 'birds', backends }, version), []);
    expect(found.filter(({ severity }) => severity === 'error')).toHaveLength(wrong);
  });

  it('conditions in a version that does not know them are reported, since every request would match', () => {
    const spec = { service: 'birds', backends: [{ service: 'blue', weight: 1 }], matches: [{ kind: 'HTTPRouteGroup', name: 'a' }] };
    expect(found(object('TrafficSplit', spec, 'v1alpha2'))).toEqual([expect.stringMatching(/^error spec\.matches/)]);
    expect(found(object('TrafficSplit', spec, 'v1alpha3'))).toEqual([]);
  });

  it('a Canary whose root is another Service with other ports is reported before it is applied', () => {
    const canary = aCanary({ service: { hosts: ['storefront'] } });
    const [first, ...rest] = canarySplitFindings(canary, [service('storefront', 8080, 9090)]);
    expect(first).toMatchObject({ severity: 'warning', path: 'spec.service.hosts[0]', message: expect.stringContaining('port 9090') });
    expect(rest).toHaveLength(1);
    expect(canarySplitFindings(canary, [service('storefront', 8080)])).toEqual([]);
    expect(canarySplitFindings(aCanary(), [service('shop', 1024)])).toEqual([]);
  });
});
