import type { Canary, Provider } from '../../../src/api/canary.ts';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import { allToPrimary, type HttpMatch, type Routes, weight } from '../../../src/api/routes.ts';
import { RoutingError, routerFor } from '../../../src/routers/index.ts';
import type { Apex, Router } from '../../../src/routers/router.ts';
import { routerCases } from '../../contracts/routers/index.ts';
import { aCanary, anApex, casesIn } from '../../contracts/routers-cases.ts';

/** One Canary with the routes of a moment, to be rendered for one provider. */
export interface Shape {
  name: string;
  canary: Canary;
  apex: Apex;
  routes: Routes;
  /** Existing objects before the write. */
  current: readonly KubeObject[];
}

const insiders: HttpMatch[] = [
  { headers: { 'x-user': { exact: 'insider' } } },
  { headers: { cookie: { regex: '^(.*; ?)?always=1(;.*)?$' } } },
];
const weighted = (canary: number): Routes => ({ kind: 'weighted', canary: weight(canary) });
const sticky = { cookieName: 'sh-canary', primaryCookieName: 'sh-primary', domain: 'example.org', path: '/', secure: true, httpOnly: true };
const cookies = { canary: 'sh-canary=abcdefghij', primary: 'sh-primary=klmnopqrst' };

interface Plan {
  service?: object;
  analysis?: object;
  routes: Routes;
}
/** Plans that users can request of any provider. A provider without the ability refuses the plan, and then there is nothing to accept. */
const plans: Readonly<Record<string, Plan>> = {
  idle: { routes: allToPrimary },
  'one percent': { routes: weighted(1) },
  'half and half': { routes: weighted(50) },
  'all to the canary': { routes: weighted(100) },
  'another service name': { service: { name: 'storefront' }, routes: weighted(30) },
  'hosts of its own': { service: { hosts: ['shop.example.org', 'www.example.org'] }, routes: weighted(30) },
  'metadata of the apex': {
    service: { apex: { labels: { team: 'shop' }, annotations: { 'example.org/owner': 'me' } } },
    routes: weighted(30),
  },
  'several ports': { service: { portDiscovery: true, portName: 'web', targetPort: 'http' }, routes: weighted(30) },
  'a timeout': { service: { timeout: '15s' }, routes: weighted(30) },
  retries: { service: { retries: { attempts: 3, perTryTimeout: '1s', retryOn: '5xx' } }, routes: weighted(30) },
  'header changes': {
    service: { headers: { request: { set: { 'x-a': '1' }, remove: ['x-b'] }, response: { add: { 'x-served': 'shop' } } } },
    routes: weighted(30),
  },
  'cross-origin policy': {
    service: { corsPolicy: { allowOrigins: [{ exact: 'https://example.org' }], allowMethods: ['GET'], maxAge: '24h' } },
    routes: weighted(30),
  },
  'a path': { service: { match: [{ uri: { prefix: '/api' } }] }, routes: weighted(30) },
  'a path that is rewritten': { service: { match: [{ uri: { prefix: '/api' } }], rewrite: { uri: '/' } }, routes: weighted(30) },
  'a condition on headers': { analysis: { match: insiders, iterations: 5 }, routes: { kind: 'matched', match: insiders } },
  'one condition': {
    analysis: { match: insiders.slice(0, 1), iterations: 5 },
    routes: { kind: 'matched', match: insiders.slice(0, 1) },
  },
  'an idle match condition': { analysis: { match: insiders.slice(0, 1), iterations: 5 }, routes: allToPrimary },
  mirrored: { analysis: { mirror: true }, routes: { kind: 'mirrored', share: weight(100) } },
  'some mirrored': { analysis: { mirror: true, mirrorWeight: 20 }, routes: { kind: 'mirrored', share: weight(20) } },
  sticky: { analysis: { sessionAffinity: sticky }, routes: { kind: 'weighted', canary: weight(20), affinity: cookies } },
  'sticky, and headers of their own': {
    service: { headers: { response: { add: { 'x-served': 'shop' } } } },
    analysis: { sessionAffinity: sticky },
    routes: { kind: 'weighted', canary: weight(0), affinity: { previous: cookies.canary } },
  },
};

/** The plans that a provider does not refuse. */
function plannedFor(provider: Provider, router: Router): Shape[] {
  const known = routerCases[provider];
  return Object.entries(plans)
    .map(([name, { service, analysis, routes }]) => ({
      name,
      canary: aCanary({ ...known?.spec, service: { ...known?.service, ...service }, analysis: { ...analysis } }),
      apex: anApex,
      routes,
      current: known?.inPlace ?? [],
    }))
    .filter((shape) => isRendered(router, shape));
}

/** Golden files for any of these providers, each for every provider that can express it. */
function goldenFor(provider: Provider, router: Router, folder: string): Shape[] {
  return casesIn(folder)
    .filter(({ provider: own }) => own === undefined || own === provider || own.split(':')[0] === provider.split(':')[0])
    .map(({ name, canary, apex, routes, current }) => ({ name: `golden ${name}`, canary, apex, routes, current }))
    .filter((shape) => isRendered(router, shape));
}

export function shapesOf(provider: Provider, folder: string | undefined): Shape[] {
  const router = routerFor(provider);
  if ('unsupported' in router) throw new Error(router.unsupported);
  return [...(folder === undefined ? [] : goldenFor(provider, router, folder)), ...plannedFor(provider, router)];
}

function isRendered(router: Router, { canary, apex, routes, current }: Shape): boolean {
  // Validation refuses a Canary with cookies on a provider without session affinity; a router can leave them out.
  if (canary.spec.analysis.sessionAffinity && !router.supports.sessionAffinity) return false;
  if (router.refuses?.(canary) !== undefined) return false;
  try {
    return router.render(canary, apex, routes, current).write.length > 0;
  } catch (error) {
    if (error instanceof RoutingError) return false;
    throw error;
  }
}
