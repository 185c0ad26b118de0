import { describe, expect, it } from 'vitest';
import { aCanary, anApex } from '../../../test/contracts/routers-cases.ts';
import { raw } from '../../../test/fakes/raw.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { allToPrimary, weight } from '../../api/routes.ts';
import { kuma } from './router.ts';

const inNamespace = (namespace: string) => {
  const canary = aCanary();
  canary.metadata.namespace = namespace;
  return canary;
};
const flaggerRoute = (namespace: string): KubeObject => ({
  apiVersion: 'kuma.io/v1alpha1',
  kind: 'TrafficRoute',
  metadata: { name: 'shop' },
  mesh: 'default',
  spec: {
    destinations: [{ match: { 'kuma.io/service': `shop_${namespace}_svc_8080` } }],
    conf: {
      split: [
        { weight: 80, destination: { 'kuma.io/service': `shop-primary_${namespace}_svc_8080` } },
        { weight: 20, destination: { 'kuma.io/service': `shop-canary_${namespace}_svc_8080` } },
      ],
    },
  },
});

describe('TrafficRoutes, which belong to no namespace', () => {
  it('Canaries of one name in two namespaces write and read two routes', () => {
    const [ours, theirs] = ['prod', 'test'].map((namespace, index) => {
      return kuma.render(inNamespace(namespace), anApex, { kind: 'weighted', canary: weight(10 + index) }, []).write;
    });
    const all = [...(ours ?? []), ...(theirs ?? [])];
    expect(all.map(({ metadata }) => metadata.name)).toEqual(['shop.prod', 'shop.test']);
    expect(kuma.readRoutes(inNamespace('prod'), all)).toEqual({ kind: 'weighted', canary: 10 });
    expect(kuma.readRoutes(inNamespace('test'), all)).toEqual({ kind: 'weighted', canary: 11 });
  });

  it("a route of Flagger's name is read, written and removed if it leads to our Services, and not touched if not", () => {
    const canary = inNamespace('prod');
    expect(kuma.readRoutes(canary, [flaggerRoute('prod')])).toEqual({ kind: 'weighted', canary: 20 });
    expect(kuma.render(canary, anApex, allToPrimary, [flaggerRoute('prod')]).write).toMatchObject([{ metadata: { name: 'shop' } }]);
    expect(kuma.finalize(canary, [flaggerRoute('prod')]).remove).toMatchObject([{ name: 'shop' }]);
    expect(kuma.readRoutes(canary, [flaggerRoute('test')])).toBeUndefined();
    expect(kuma.render(canary, anApex, allToPrimary, [flaggerRoute('test')]).write).toMatchObject([{ metadata: { name: 'shop.prod' } }]);
    expect(kuma.finalize(canary, [flaggerRoute('test')])).toEqual({ write: [], remove: [] });
  });

  it('the route goes with its Canary, for any port that it was made for', () => {
    const { write } = kuma.render(aCanary(), anApex, allToPrimary, []);
    expect(kuma.finalize(aCanary({ service: { port: 9090 } }), write).remove).toMatchObject([{ kind: 'TrafficRoute', name: 'shop.prod' }]);
  });

  it('a route without conf, with one side or with odd weights is unreadable and stops nothing', () => {
    const without: KubeObject = { ...flaggerRoute('prod'), metadata: { name: 'shop.prod' } };
    const one = structuredClone(without);
    raw(one).spec.conf.split.pop();
    const odd = structuredClone(without);
    raw(odd).spec.conf.split[0].weight = 79.5;
    for (const found of [{ ...without, spec: {} }, { ...without, spec: undefined }, one, odd])
      expect(kuma.readRoutes(aCanary(), [found])).toEqual({ unreadable: expect.stringContaining('TrafficRoute shop.prod') });
  });

  it.each([
    {
      what: 'a match',
      analysis: { iterations: 5, stepWeight: undefined, match: [{ headers: { a: { exact: 'b' } } }] },
      says: /analysis\.match/,
    },
    { what: 'a mirror', analysis: { mirror: true }, says: /analysis\.mirror/ },
  ])('$what is refused with the field named', ({ analysis, says }) => {
    expect(kuma.refuses?.(aCanary({ analysis }))?.message).toMatch(says);
    expect(kuma.refuses?.(aCanary())).toBeUndefined();
  });
});
