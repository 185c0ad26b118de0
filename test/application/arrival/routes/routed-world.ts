import type { KubeObject } from '../../../../src/api/kube-object.ts';
import { drawer } from '../../../fakes/model/life.ts';
import { type Raw, raw } from '../../../fakes/raw.ts';
import type { Arriving, Ending } from '../play.ts';
import { arrivingIn, type Part, SHOP, type World } from '../world.ts';
import { type RouteKind, readers } from './users-route.ts';

/** A rule: which requests, where to, and what else is done with them. */
export interface Rule {
  path: string;
  header?: string;
  to: readonly Destination[] | 'redirect';
  /** A filter, a policy or a time limit, as the kind has them. */
  terms: 'none' | 'filter' | 'timeout' | 'both';
  isNamed: boolean;
}
export interface Destination {
  service: 'shop' | 'static' | 'legacy';
  port: 80 | 9090;
  /** Undefined: unsaid. */
  weight: number | undefined;
}

/** One route of the user's. `listed`: the Canary names it in `spec.routeRefs`. */
export interface Route {
  name: string;
  host: string;
  at: 'apex' | 'listed' | 'unlisted' | 'another namespace';
  rules: readonly Rule[];
}

/** A tool, or a user, writes so long after the Canary was made. */
export interface Write {
  atMs: number;
  what:
    | { is: 'route'; index: number; edit: 'nothing' | 'a rule of another' | 'a rule of the application' | 'another order' }
    | { is: 'Service' };
  how: 'patch' | 'replace';
}

/** A living application whose users come by routes that its user wrote, and the tools that write them again. */
export interface RoutedWorld {
  seed: number;
  kind: RouteKind;
  /** Whom the release is for. */
  cohort: 'all' | 'header' | 'affinity' | 'mirror';
  hasSecondPort: boolean;
  ending: Ending;
  killedAfterMs: number | undefined;
  routes: readonly Route[];
  writes: readonly Write[];
}

const HOSTS = ['shop.example.org', 'www.example.org', 'api.example.org'];
const NAMESPACE = 'test';

export function routedWorldOf(seed: number): RoutedWorld {
  const draw = drawer(seed * 15_485_863 + 7);
  for (let warm = 0; warm < 3; warm += 1) draw(0, 2);
  const isOne = (percent: number): boolean => draw(0, 100) < percent;
  const from = <T>(...all: readonly [T, ...T[]]): T => all[draw(0, all.length)] ?? all[0];
  const kind = from<RouteKind>('HTTPRoute', 'VirtualService', 'HTTPProxy');
  const hasSecondPort = isOne(20);
  const cohort = from<RoutedWorld['cohort']>('all', 'all', 'header', ...(kind === 'HTTPProxy' ? [] : (['affinity', 'mirror'] as const)));
  const destination = (service: Destination['service'], weight: number | undefined): Destination => ({
    service,
    port: service === 'shop' && hasSecondPort && isOne(30) ? 9090 : 80,
    weight,
  });
  const to = (): Rule['to'] => {
    const of = draw(0, 100);
    if (of < 55) return [destination('shop', isOne(70) ? undefined : 1)];
    if (of < 75) return [destination(from('static', 'legacy'), undefined)];
    if (of < 95) {
      const pair = [destination('shop', from(1, 3, 9, 75)), destination('legacy', from(1, 2, 25))];
      return isOne(70) ? pair : pair.toReversed();
    }
    return kind === 'HTTPProxy' ? [destination('static', undefined)] : 'redirect';
  };
  const rule = (path: string): Rule => ({
    path,
    ...(isOne(20) && { header: from('beta', 'staff') }),
    to: to(),
    terms: from('none', 'none', 'filter', 'timeout', 'both'),
    isNamed: isOne(30),
  });
  const rules = (): Rule[] => {
    const paths = ['/', '/api', '/api/v2', '/static', '/admin', '/half'].filter((path) => path === '/' || isOne(40));
    const most = paths.map(rule).toReversed();
    // The same path, for a group of users.
    return isOne(20)
      ? [{ ...rule('/'), header: 'beta' }, ...most.filter(({ path, header }) => path !== '/' || header === undefined)]
      : most;
  };
  const count = from(1, 1, 2, 3);
  const routes = HOSTS.slice(0, count).map((host, index): Route => {
    const at =
      index === 0
        ? from<Route['at']>('apex', 'apex', 'apex', 'apex', 'apex', 'listed', 'unlisted')
        : from<Route['at']>('listed', 'listed', 'unlisted', ...(kind === 'HTTPProxy' ? [] : (['another namespace'] as const)));
    return { name: at === 'apex' ? SHOP : `of-${host.split('.')[0]}`, host, at, rules: rules() };
  });
  const writes = Array.from({ length: from(0, 1, 2, 4) }, (): Write => {
    const what: Write['what'] = isOne(85)
      ? {
          is: 'route',
          index: draw(0, routes.length),
          edit: from('nothing', 'nothing', 'a rule of another', 'a rule of the application', 'another order'),
        }
      : { is: 'Service' };
    return { atMs: draw(0, 180_000), what, how: from('patch', 'patch', 'replace') };
  });
  return {
    ...{ seed, kind, cohort, hasSecondPort, routes, writes },
    ending: from<Ending>('success', 'failure', 'replaced', 'renamed'),
    killedAfterMs: isOne(20) ? draw(0, 15_000) : undefined,
  };
}

/** The world as its user has applied it, and a Canary as the documentation says. */
export function arrivingByRoutes(world: RoutedWorld): Arriving {
  const { seed, kind, cohort, hasSecondPort, ending, killedAfterMs } = world;
  const parts: Part[] = hasSecondPort ? [{ is: 'second port', name: 'admin' }] : [];
  const base: World = {
    ...{
      seed,
      provider: kind === 'VirtualService' ? 'istio' : 'kubernetes',
      labels: 'app',
      apexName: undefined,
      hasPortDiscovery: hasSecondPort,
    },
    ...{ targetPort: 8080, ending, killedAfterMs, parts },
  };
  const arriving = arrivingIn(base);
  const routes = world.routes.map((route) => objectOf(world, route));
  const apexHost = world.routes.find(({ at }) => at === 'apex')?.host ?? HOSTS[0];
  const { spec, ...canary } = raw(arriving.canary);
  const service = {
    HTTPRoute: { gatewayRefs: [{ name: 'public', namespace: 'edge' }], hosts: [apexHost] },
    VirtualService: { gateways: ['edge/public'], hosts: [apexHost] },
    HTTPProxy: {},
  }[kind];
  const listed = world.routes.filter(({ at }) => at === 'listed').map(({ name }) => ({ apiVersion: readers[kind].apiVersion, kind, name }));
  const analysis = {
    all: {},
    header: { iterations: 2, match: [{ headers: { 'x-user': { exact: 'insider' } } }] },
    affinity: { sessionAffinity: { cookieName: 'shop-side' } },
    mirror: { mirror: true, mirrorWeight: 100 },
  }[cohort];
  const provider = { HTTPRoute: 'gatewayapi:v1', VirtualService: 'istio', HTTPProxy: 'contour' }[kind];
  return {
    ...arriving,
    objects: [...arriving.objects, ...others(), ...routes],
    canary: {
      ...canary,
      spec: { ...spec, provider, ...(listed.length > 0 && { routeRefs: listed }), service: { ...spec.service, ...service }, analysis },
    } as KubeObject,
    routes: {
      kind,
      declared: routes,
      isServed: (name) => world.routes.some((route) => route.name === name && (route.at === 'apex' || route.at === 'listed')),
      headers: cohort === 'header' ? [{ 'x-user': 'insider' }] : [],
      writes: world.writes.map((write) => ({ atMs: write.atMs, how: write.how, object: written(world, write, arriving.objects) })),
    },
  };
}

/** What the tool has in its manifest. */
function written(world: RoutedWorld, { what }: Write, objects: readonly KubeObject[]): KubeObject {
  const apex = objects.find(({ kind, metadata }) => kind === 'Service' && metadata.name === SHOP);
  if (what.is === 'Service' && apex) return apex;
  const route = what.is === 'route' ? world.routes[what.index] : undefined;
  if (what.is !== 'route' || route === undefined) throw new Error('a world has an apex and the routes that it names');
  return objectOf(world, { ...route, rules: edited(route.rules, what.edit) });
}

function edited(rules: readonly Rule[], edit: Extract<Write['what'], { is: 'route' }>['edit']): readonly Rule[] {
  const isOurs = ({ to }: Rule): boolean => to !== 'redirect' && to.some(({ service }) => service === 'shop');
  const index = rules.findIndex((rule) => isOurs(rule) === (edit === 'a rule of the application'));
  const rule = rules[index];
  if (edit === 'nothing') return rules;
  if (edit === 'another order') return rules.map((one) => (one.to === 'redirect' ? one : { ...one, to: one.to.toReversed() }));
  return rule === undefined ? rules : rules.with(index, { ...rule, terms: rule.terms === 'timeout' ? 'both' : 'timeout' });
}

function others(): KubeObject[] {
  const names = ['static', 'legacy'];
  return names.map((name) => ({
    ...{ apiVersion: 'v1', kind: 'Service', metadata: { name, namespace: NAMESPACE } },
    spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] },
  }));
}

function objectOf({ kind }: RoutedWorld, { name, host, at, rules }: Route): KubeObject {
  const namespace = at === 'another namespace' ? 'edge' : NAMESPACE;
  const isAway = namespace !== NAMESPACE;
  const spec = { HTTPRoute: httpRoute, VirtualService: virtualService, HTTPProxy: httpProxy }[kind](host, rules, isAway);
  return { apiVersion: readers[kind].apiVersion, kind, metadata: { name, namespace }, spec } as KubeObject;
}

const has = (terms: Rule['terms'], one: 'filter' | 'timeout'): boolean => terms === one || terms === 'both';

function httpRoute(host: string, rules: readonly Rule[], isAway: boolean): Raw {
  return {
    parentRefs: [{ name: 'public', namespace: 'edge', sectionName: 'https' }],
    hostnames: [host],
    rules: rules.map(({ path, header, to, terms, isNamed }, index) => ({
      ...(isNamed && { name: `rule-${index}` }),
      matches: [
        { path: { type: 'PathPrefix', value: path }, ...(header && { headers: [{ type: 'Exact', name: `x-${header}`, value: '1' }] }) },
      ],
      ...((has(terms, 'filter') || to === 'redirect') && {
        filters: [
          ...(has(terms, 'filter') ? [{ type: 'ExtensionRef', extensionRef: { group: 'example.org', kind: 'Auth', name: 'staff' } }] : []),
          ...(to === 'redirect'
            ? [{ type: 'RequestRedirect', requestRedirect: { hostname: 'elsewhere.example.org', statusCode: 302 } }]
            : []),
        ],
      }),
      ...(has(terms, 'timeout') && { timeouts: { request: '3s' } }),
      ...(to !== 'redirect' && {
        backendRefs: to.map(({ service, port, weight = 1 }) => ({
          ...{ group: '', kind: 'Service', name: service, port, weight },
          ...(isAway && { namespace: NAMESPACE }),
        })),
      }),
    })),
  };
}

function virtualService(host: string, rules: readonly Rule[], isAway: boolean): Raw {
  return {
    hosts: [host],
    gateways: ['edge/public'],
    http: rules.map(({ path, header, to, terms, isNamed }, index) => ({
      ...(isNamed && { name: `rule-${index}` }),
      ...((path !== '/' || header) && {
        match: [{ ...(path !== '/' && { uri: { prefix: path } }), ...(header && { headers: { [`x-${header}`]: { exact: '1' } } }) }],
      }),
      ...(has(terms, 'filter') && { headers: { request: { set: { 'x-rule': String(index) } } } }),
      ...(has(terms, 'timeout') && { timeout: '3s', retries: { attempts: 2 } }),
      ...(to === 'redirect'
        ? { redirect: { authority: 'elsewhere.example.org' } }
        : {
            route: to.map(({ service, port, weight }) => ({
              destination: { host: isAway ? `${service}.${NAMESPACE}.svc.cluster.local` : service, port: { number: port } },
              ...(weight !== undefined && { weight }),
            })),
          }),
    })),
  };
}

function httpProxy(host: string, rules: readonly Rule[]): Raw {
  return {
    virtualhost: { fqdn: host },
    routes: rules.map(({ path, header, to, terms }) => ({
      conditions: [{ prefix: path }, ...(header ? [{ header: { name: `x-${header}`, exact: '1' } }] : [])],
      ...(has(terms, 'filter') && { enableWebsockets: true, requestHeadersPolicy: { set: [{ name: 'x-rule', value: path }] } }),
      ...(has(terms, 'timeout') && { timeoutPolicy: { response: '3s' } }),
      services: (to === 'redirect' ? [] : to).map(({ service, port, weight }) => ({
        name: service,
        port,
        ...(weight !== undefined && { weight }),
      })),
    })),
  };
}

/** In words: what a stranger needs. */
export function describeRoutedWorld({ routes, writes, ...rest }: RoutedWorld): string {
  return [JSON.stringify(rest), ...[...routes, ...writes].map((one) => `  ${JSON.stringify(one)}`)].join('\n');
}
