import { describe, expect, it } from 'vitest';
import { aCanary, anApex } from '../../../test/contracts/routers-cases.ts';
import { type Raw, raw } from '../../../test/fakes/raw.ts';
import { type KubeObject, refKey, refOf } from '../../api/kube-object.ts';
import { allToPrimary, type Routes, weight } from '../../api/routes.ts';
import { originalConfig } from '../original-spec.ts';
import { appMeshV1beta1 } from './app-mesh-v1beta1.ts';
import { appMeshV1beta2 } from './app-mesh-v1beta2.ts';

const headers = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, { exact: 'a' }]));
const named = (objects: readonly KubeObject[], kind: string, name: string): KubeObject | undefined =>
  objects.find((object) => object.kind === kind && object.metadata.name === name);
const mesh = (spec: { service?: object; analysis?: object } = {}) => aCanary({ ...spec, service: { meshName: 'main', ...spec.service } });

describe.each([
  { version: 'appmesh', router: appMeshV1beta1 },
  { version: 'appmesh:v1beta2', router: appMeshV1beta2 },
])('$version', ({ router }) => {
  it.each([
    {
      what: 'a retry event of Istio',
      spec: { service: { retries: { retryOn: '5xx' } } },
      says: /retryOn has "5xx".*server-error/,
    },
    { what: 'query parameters', spec: { analysis: { match: [{ queryParams: { a: { exact: 'b' } } }] } }, says: /queryParams/ },
    { what: 'source labels', spec: { analysis: { match: [{ sourceLabels: { a: 'b' } }] } }, says: /sourceLabels/ },
    { what: 'an entry without a header', spec: { analysis: { match: [{ headers: {} }] } }, says: /every request/ },
    { what: 'eleven headers', spec: { analysis: { match: [{ headers: headers(11) }] } }, says: /11 headers/ },
    { what: 'a long header', spec: { analysis: { match: [{ headers: { ['x'.repeat(51)]: { exact: 'a' } } }] } }, says: /50 characters/ },
    { what: 'an empty text', spec: { analysis: { match: [{ headers: { x: { exact: '' } } }] } }, says: /1 to 255/ },
    { what: 'eleven entries', spec: { analysis: { match: Array(11).fill({ headers: headers(1) }) } }, says: /11 entries/ },
    { what: 'a mirror', spec: { analysis: { mirror: true } }, says: /mirror/ },
  ])('$what is refused with the field named, and bars no way back', ({ spec, says }) => {
    expect(router.refuses?.(mesh(spec))?.message).toMatch(says);
    expect(router.render(mesh(spec), anApex, allToPrimary, []).write.length).toBeGreaterThan(0);
  });

  it('ten headers and ten entries are taken', () => {
    expect(router.refuses?.(mesh({ analysis: { match: Array(10).fill({ headers: headers(10) }) } }))).toBeUndefined();
  });

  it('an existing object is rendered unchanged, its annotations too', () => {
    const canary = mesh({ service: { hosts: ['shop.example.org'], apex: { annotations: { a: 'b' } } } });
    const { write } = router.render(canary, anApex, allToPrimary, []);
    expect(router.render(canary, anApex, allToPrimary, write).write).toEqual(write);
  });

  it('routes from before the Canary are restored', () => {
    const routes: Routes = { kind: 'weighted', canary: weight(10) };
    const own = router.render(mesh(), anApex, routes, []).write;
    const apex = own.findLast(({ spec }: Raw) => spec.routes !== undefined);
    if (!apex) throw new Error('no routes');
    const theirs = { ...apex, spec: { routes: [{ name: 'theirs' }] } };
    const first = router.render(mesh(), anApex, routes, [theirs]).write;
    const kept = named(first, apex.kind, apex.metadata.name);
    expect(JSON.parse(kept?.metadata.annotations?.[originalConfig] ?? '')).toEqual(theirs.spec);
    const given = router.finalize(mesh(), first);
    expect(given.write).toEqual([theirs]);
    expect(given.remove.map(refKey)).not.toContain(refKey(refOf(theirs)));
  });

  it('routes of which a side is missing, or whose weights are no shares, are unreadable', () => {
    const { write } = router.render(mesh(), anApex, allToPrimary, []);
    const text = JSON.stringify(write);
    for (const broken of [text.replaceAll('"weight":0', '"weight":1'), text.replaceAll('shop-canary"', 'elsewhere"')])
      expect(router.readRoutes(mesh(), JSON.parse(broken))).toHaveProperty('unreadable');
  });

  it('the nodes that pods need come first, and nothing that moves traffic with them', () => {
    expect(router.prepare?.(mesh(), anApex).map(({ kind }) => kind)).not.toContain('VirtualService');
    expect(router.prepare?.(mesh(), anApex)).toEqual(
      router.render(mesh(), anApex, allToPrimary, []).write.filter(({ kind }) => kind === 'VirtualNode'),
    );
  });
});

describe('only appmesh', () => {
  it('without the name of a mesh it is refused', () => {
    expect(appMeshV1beta1.refuses?.(aCanary())?.field).toBe('spec.service.meshName');
    expect(appMeshV1beta2.refuses?.(aCanary())).toBeUndefined();
  });
});

describe('only appmesh:v1beta2', () => {
  it('a VirtualService that was deleted or led elsewhere is written again', () => {
    const { write } = appMeshV1beta2.render(aCanary(), anApex, allToPrimary, []);
    const without = write.filter(({ kind }) => kind !== 'VirtualService');
    expect(appMeshV1beta2.render(aCanary(), anApex, allToPrimary, without).write).toEqual(write);
  });

  it('nodes select the pods as the Services do, for any name of the target', () => {
    const apex = { ...anApex, selector: { key: 'name', target: 'web', primary: 'web-primary' } };
    const { write } = appMeshV1beta2.render(aCanary(), apex, allToPrimary, []);
    expect(raw(named(write, 'VirtualNode', 'shop-canary'))?.spec.podSelector).toEqual({ matchLabels: { name: 'web' } });
    expect(raw(named(write, 'VirtualNode', 'shop-primary'))?.spec.podSelector).toEqual({ matchLabels: { name: 'web-primary' } });
  });

  it("a VirtualService that leads to its owner's own router stays when that router is restored", () => {
    const theirs = {
      apiVersion: 'appmesh.k8s.aws/v1beta2',
      kind: 'VirtualRouter',
      metadata: { name: 'shop', namespace: 'prod' },
      spec: { routes: [{ name: 'theirs' }] },
    };
    const { write } = appMeshV1beta2.render(aCanary(), anApex, allToPrimary, [theirs]);
    const { remove } = appMeshV1beta2.finalize(aCanary(), write);
    expect(remove.map(({ kind, name }) => `${kind}/${name}`)).toEqual([
      'VirtualService/shop-canary',
      'VirtualRouter/shop-canary',
      'VirtualNode/shop-primary',
      'VirtualNode/shop-canary',
    ]);
  });
});
