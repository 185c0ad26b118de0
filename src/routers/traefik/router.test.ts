import { describe, expect, it } from 'vitest';
import { aCanary, anApex } from '../../../test/contracts/routers-cases.ts';
import { raw } from '../../../test/fakes/raw.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { allToPrimary, type Routes, weight } from '../../api/routes.ts';
import { RoutingError } from '../routing-error.ts';
import { traefik } from './router.ts';

const service = (spec: object, annotations: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'traefik.io/v1alpha1',
  kind: 'TraefikService',
  metadata: { name: 'shop', namespace: 'prod', annotations },
  spec,
});
const weighted = (...services: object[]) => service({ weighted: { services } });
const primary = (share?: number) => ({ name: 'shop-primary', ...(share === undefined ? {} : { weight: share }) });
const canarySide = (share?: number) => ({ name: 'shop-canary', ...(share === undefined ? {} : { weight: share }) });
const canary = aCanary();
const render = (routes: Routes, current: KubeObject[] = []) => raw(traefik.render(canary, anApex, routes, current).write[0])?.spec;

describe('TraefikService', () => {
  it.each([
    { share: 0, length: 1 },
    { share: 30, length: 2 },
    { share: 0, length: 1 },
    { share: 100, length: 1 },
  ])('$share percent is $length services, and none of them without a weight', ({ share, length }) => {
    const { services } = render({ kind: 'weighted', canary: weight(share) }).weighted;
    expect(services).toHaveLength(length);
    expect(services.every((side: { weight: number }) => side.weight > 0)).toBe(true);
  });

  it.each([
    { what: 'both sides', found: weighted(primary(70), canarySide(30)), routes: { kind: 'weighted', canary: 30 } },
    { what: 'the other order', found: weighted(canarySide(30), primary(70)), routes: { kind: 'weighted', canary: 30 } },
    {
      what: 'a primary whose zero is left out',
      found: weighted(primary(), canarySide(100)),
      routes: { kind: 'weighted', canary: 100 },
    },
    { what: 'an only service without a weight', found: weighted(primary()), routes: allToPrimary },
  ])('reads $what', ({ found, routes }) => expect(traefik.readRoutes(canary, [found])).toEqual(routes));

  it.each([
    { what: 'half and half as 100 and 100', found: weighted(primary(100), canarySide(100)) },
    { what: 'a missing weight, which is 1', found: weighted(primary(), canarySide(30)) },
    { what: 'a foreign service', found: weighted(primary(50), { name: 'other', weight: 50 }) },
    { what: 'one side twice', found: weighted(primary(50), primary(50)) },
    { what: 'no service', found: weighted() },
    { what: 'no kind at all', found: service({}) },
    { what: 'a mirror in place of weights', found: service({ mirroring: { name: 'shop-primary', mirrors: [] } }) },
    { what: 'a mirror that is gone', found: weighted({ kind: 'TraefikService', name: 'shop-mirror' }) },
  ])('never invents routes from $what', ({ found }) =>
    expect(traefik.readRoutes(canary, [found])).toEqual({ unreadable: expect.stringContaining('TraefikService shop') }),
  );

  it('refuses a match before anything moves, and names providers that can', () => {
    expect(traefik.refuses?.(aCanary({ analysis: { iterations: 3, match: [{ headers: { x: { exact: 'y' } } }] } }))?.message).toMatch(
      /analysis\.match.*istio.*gloo/,
    );
    expect(traefik.refuses?.(canary)).toBeUndefined();
  });

  it('mirrors through a TraefikService of its own, so that the weights of the apex one are never left behind without services', () => {
    const [copying, apex, ...others] = traefik.render(canary, anApex, { kind: 'mirrored', share: weight(5) }, []).write;
    expect(others).toEqual([]);
    expect(copying).toMatchObject({
      metadata: { name: 'shop-mirror' },
      spec: { mirroring: { name: 'shop-primary', mirrors: [{ name: 'shop-canary', percent: 5 }] } },
    });
    expect(apex?.spec).toEqual({
      weighted: { services: [{ kind: 'TraefikService', name: 'shop-mirror', namespace: 'prod', weight: 100 }] },
    });
    const left = traefik.render(
      canary,
      anApex,
      allToPrimary,
      [copying, apex].flatMap((one) => one ?? []),
    );
    expect(left.write.map(({ metadata }) => metadata.name)).toEqual(['shop']);
    expect(left.remove).toEqual([]);
    expect(traefik.finalize(canary, copying ? [copying] : []).remove).toMatchObject([{ name: 'shop-mirror' }]);
  });

  it('I12: does not take a foreign mirror; traffic can still be routed to the primary', () => {
    const foreign = { ...service({ mirroring: { name: 'theirs' } }), metadata: { name: 'shop-mirror', namespace: 'prod' } };
    const attempt = () => traefik.render(canary, anApex, { kind: 'mirrored', share: weight(100) }, [foreign]);
    expect(attempt).toThrow(RoutingError);
    expect(attempt).toThrow('TraefikService shop-mirror is not one of this Canary');
    expect(traefik.render(canary, anApex, allToPrimary, [foreign]).write).toHaveLength(1);
    expect(traefik.finalize(canary, [foreign])).toEqual({ write: [], remove: [] });
  });

  it('an adopted object is restored; ours leads to the apex Service', () => {
    const original = { weighted: { sticky: { cookie: {} }, services: [{ name: 'shop', port: 8080 }] } };
    const [taken] = traefik.render(canary, anApex, allToPrimary, [service(original)]).write;
    expect(traefik.finalize(canary, taken ? [taken] : []).write[0]?.spec).toEqual(original);
    expect(traefik.finalize(canary, [weighted(primary(100))]).write[0]?.spec).toEqual({
      weighted: { services: [{ name: 'shop', namespace: 'prod', port: 8080, weight: 100 }] },
    });
  });
});

describe('I17: what leads to the application past the TraefikService', () => {
  const route = (kind: string, spec: object, name = 'edge', namespace = 'prod'): KubeObject => ({
    apiVersion: 'traefik.io/v1alpha1',
    kind,
    metadata: { name, namespace },
    spec,
  });
  const ingressRoute = (...services: object[]) => route('IngressRoute', { routes: [{ kind: 'Rule', match: 'Host(`a`)', services }] });
  const aHundred = aCanary({ service: { port: 80, portName: 'web' } });
  const namedOf = (...objects: KubeObject[]) =>
    (traefik.unkept?.(aHundred, objects) ?? []).map(({ on, field, isRefused }) => [on.kind, on.metadata.name, field, isRefused]);

  it.each([
    { what: 'by number', found: ingressRoute({ name: 'shop', port: 80 }), field: 'spec.routes' },
    { what: 'by name', found: ingressRoute({ name: 'static', port: 80 }, { name: 'shop', port: 'web' }), field: 'spec.routes' },
    { what: 'by no port', found: ingressRoute({ name: 'shop', namespace: 'prod', kind: 'Service' }), field: 'spec.routes' },
    {
      what: 'by weights of a TraefikService',
      found: route('TraefikService', { weighted: { services: [{ name: 'shop', port: 80, weight: 3 }] } }, 'half'),
      field: 'spec.weighted',
    },
    {
      what: 'by what is mirrored',
      found: route('TraefikService', { mirroring: { name: 'shop', port: 80 } }, 'half'),
      field: 'spec.mirroring',
    },
  ])('is named, and not refused: $what', ({ found, field }) => {
    expect(namedOf(found)).toEqual([[found.kind, found.metadata.name, field, false]]);
    expect(traefik.unkept?.(aHundred, [found])[0]).toMatchObject({
      detail: 'leads to Service shop, and its requests get no share of a canary',
      remedy: 'lead there to TraefikService shop, which Serin makes, as {kind: TraefikService, name: shop}',
    });
  });

  it.each([
    { what: 'the TraefikService', found: ingressRoute({ kind: 'TraefikService', name: 'shop' }) },
    { what: 'another port, which no release moves', found: ingressRoute({ name: 'shop', port: 9090 }) },
    { what: 'another Service', found: ingressRoute({ name: 'static', port: 80 }) },
    { what: 'one of that name elsewhere', found: ingressRoute({ name: 'shop', namespace: 'other', port: 80 }) },
    {
      what: 'the same from elsewhere',
      found: route('IngressRoute', { routes: [{ services: [{ name: 'shop', port: 80 }] }] }, 'edge', 'other'),
    },
    {
      what: 'it with copies alone',
      found: route('TraefikService', { mirroring: { name: 'static', port: 80, mirrors: [{ name: 'shop', port: 80 }] } }, 'half'),
    },
    { what: 'nothing', found: route('IngressRoute', {}) },
    { what: 'what no server takes', found: route('IngressRoute', { routes: 'all', services: 1 }) },
    { what: 'its own', found: weighted({ name: 'shop', port: 80 }) },
  ])('is nothing where a route leads to $what', ({ found }) => expect(namedOf(found)).toEqual([]));
});
