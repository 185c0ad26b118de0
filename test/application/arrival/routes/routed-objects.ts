import type { KubeObject } from '../../../../src/api/kube-object.ts';
import { type Raw, raw } from '../../../fakes/raw.ts';
import type { Arriving } from '../play.ts';
import { arrivingIn, type Part, SHOP, type World } from '../world.ts';
import { ADDED_HOST, HOSTS, hostsOf, type Route, type RoutedWorld, type Rule, sharesRoute, type Write } from './routed-world.ts';
import { type RouteKind, readers } from './users-route.ts';

const NAMESPACE = 'test';
const LEGACY = 'legacy';
const PROVIDERS: Readonly<Record<RouteKind, string>> = {
  HTTPRoute: 'gatewayapi:v1',
  GRPCRoute: 'gatewayapi:v1',
  VirtualService: 'istio',
  HTTPProxy: 'contour',
};

/** The world as its user has applied it, and a Canary as the documentation says. */
export function arrivingByRoutes(world: RoutedWorld): Arriving {
  const { seed, kind, cohort, hasSecondPort, ending, killedAfterMs } = world;
  const appProtocol = world.isTcp ? 'tcp' : kind === 'GRPCRoute' ? 'grpc' : undefined;
  const parts: Part[] = [
    ...(hasSecondPort ? [{ is: 'second port', name: 'admin' } as const] : []),
    ...(appProtocol ? [{ is: 'appProtocol', appProtocol } as const] : []),
  ];
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
  const { spec, ...canary } = raw(arriving.canary);
  const listed = refsOf(
    kind,
    world.routes.filter(({ at }) => at === 'listed'),
  );
  const provider = PROVIDERS[kind];
  const canaryFor = (whom: RoutedWorld['cohort'], hosts: readonly string[], port = 80): KubeObject => ({
    ...canary,
    spec: {
      ...spec,
      provider,
      ...(listed.length > 0 && { routeRefs: listed }),
      service: { ...spec.service, port, ...entryOf(kind, hosts), ...(appProtocol && { appProtocol }) },
      analysis: ANALYSES[whom],
    },
  });
  const own = hostsOf(world, false);
  const { edit } = world;
  const adds = edit?.added && {
    host: ADDED_HOST,
    canary: canaryFor(cohort, [...own, ADDED_HOST]),
    killedAfterMs: edit.added.killedAfterMs,
  };
  const editedHosts = hostsOf(world, edit?.hasAllHosts === true);
  return {
    ...arriving,
    ...(world.backAfterMs !== undefined && { backAfterMs: world.backAfterMs }),
    objects: [...arriving.objects, ...others(world), ...routes],
    canary: canaryFor(cohort, own),
    routes: {
      kind,
      declared: routes,
      isServed: (name) => world.routes.some((route) => route.name === name && (route.at === 'apex' || route.at === 'listed')),
      ...(world.second && { second: { ...world.second, canary: secondCanary(world, world.second) } }),
      ...(edit && {
        edit: {
          ...{ atMs: edit.atMs, undoneAfterMs: edit.undoneAfterMs },
          canary: canaryFor(edit.cohort, adds ? [...editedHosts, ADDED_HOST] : editedHosts, edit.port),
          ...(adds && { adds }),
        },
      }),
      headers: cohortsOf(world),
      writes: world.writes.flatMap((write) => {
        const object = written(world, write, arriving.objects);
        return timesOf(write).map((atMs) => ({ atMs, how: write.how, object }));
      }),
    },
  };
}

/** Entry of a route that Serin creates: its gateways and hosts. */
const entryOf = (kind: RouteKind, hosts: readonly string[]): object =>
  ({
    HTTPRoute: { gatewayRefs: [{ name: 'public', namespace: 'edge' }], hosts },
    GRPCRoute: { gatewayRefs: [{ name: 'public', namespace: 'edge' }], hosts },
    VirtualService: { gateways: ['edge/public'], hosts },
    HTTPProxy: {},
  })[kind];

const timesOf = ({ atMs, againAfterMs = [] }: Write): number[] =>
  [0, ...againAfterMs].map((_, index) => againAfterMs.slice(0, index).reduce((sum, afterMs) => sum + afterMs, atMs));

/** Object in the tool's manifest. */
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

function others({ second }: RoutedWorld): KubeObject[] {
  const names = ['static', LEGACY];
  const services = names.map((name) => ({
    ...{ apiVersion: 'v1', kind: 'Service', metadata: { name, namespace: NAMESPACE } },
    spec: { selector: { app: second && name === LEGACY ? LEGACY : 'web' }, ports: [{ port: 80, targetPort: 8080 }] },
  }));
  return second ? [...services, deployment] : services;
}

const deployment: KubeObject = {
  ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: LEGACY, namespace: NAMESPACE } },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: LEGACY } },
    template: {
      metadata: { labels: { app: LEGACY } },
      spec: { containers: [{ name: 'app', image: 'good-1', ports: [{ name: 'web', containerPort: 8080 }] }] },
    },
  },
};

const refsOf = (kind: RouteKind, routes: readonly Route[]) =>
  routes.map(({ name }) => ({ apiVersion: readers[kind].apiVersion, kind, name }));

const ANALYSES: Readonly<Record<RoutedWorld['cohort'], object>> = {
  all: {},
  header: { iterations: 2, match: [{ headers: { 'x-user': { exact: 'insider' } } }] },
  affinity: { sessionAffinity: { cookieName: 'shop-side' } },
  mirror: { mirror: true, mirrorWeight: 100 },
};

/** A Canary whose every release succeeds: no metric judges it. */
function secondCanary({ kind, routes }: RoutedWorld, { cohort }: NonNullable<RoutedWorld['second']>): KubeObject {
  const whom = {
    all: { stepWeight: 50, maxWeight: 50 },
    header: { iterations: 2, match: [{ headers: { 'x-team': { exact: 'qa' } } }] },
    affinity: { stepWeight: 50, maxWeight: 50, sessionAffinity: { cookieName: 'legacy-side' } },
  }[cohort];
  return {
    ...{ apiVersion: 'flagger.app/v1beta1', kind: 'Canary', metadata: { name: LEGACY, namespace: NAMESPACE } },
    spec: {
      provider: PROVIDERS[kind],
      routeRefs: refsOf(kind, routes.filter(sharesRoute)),
      targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: LEGACY },
      progressDeadlineSeconds: 60,
      service: { port: 80, targetPort: 8080 },
      analysis: { interval: '10s', threshold: 1, ...whom },
    },
  };
}

/** Headers of the clients for whom a release is. */
function cohortsOf({ cohort, second, edit }: RoutedWorld): Readonly<Record<string, string>>[] {
  const [insider, qa] = [{ 'x-user': 'insider' }, { 'x-team': 'qa' }];
  const [isFor, isForSecond] = [cohort === 'header' || edit?.cohort === 'header', second?.cohort === 'header'];
  return [...(isFor ? [insider] : []), ...(isForSecond ? [qa] : []), ...(isFor && isForSecond ? [{ ...insider, ...qa }] : [])];
}

function objectOf({ kind, isTcp }: RoutedWorld, { name, host, at, rules }: Route): KubeObject {
  const namespace = at === 'another namespace' ? 'edge' : NAMESPACE;
  const isAway = namespace !== NAMESPACE;
  const specs = {
    HTTPRoute: httpRoute,
    GRPCRoute: grpcRoute,
    VirtualService: isTcp ? tcpVirtualService : virtualService,
    HTTPProxy: httpProxy,
  };
  const spec = specs[kind](host, rules, isAway);
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

/** Each path is translated to a gRPC call. */
const CALLS: Readonly<Record<string, object | undefined>> = {
  '/api': { type: 'Exact', service: 'shop.Api' },
  '/api/v2': { type: 'Exact', service: 'shop.Api', method: 'V2' },
  '/static': { service: 'shop.Static' },
  '/admin': { service: 'shop.Admin', method: 'Do' },
  '/half': { type: 'Exact', service: 'shop.Half' },
};

/** A GRPCRoute has neither redirects nor time limits. */
function grpcRoute(host: string, rules: readonly Rule[], isAway: boolean): Raw {
  const { rules: ofHttp, ...rest } = httpRoute(host, rules, isAway);
  return {
    ...rest,
    rules: ofHttp.map(({ timeouts: _, matches: [{ path, ...match }], ...rule }: Raw) => {
      const method = CALLS[path.value];
      const conditions = { ...match, ...(method && { method }) };
      return { ...rule, ...(Object.keys(conditions).length > 0 && { matches: [conditions] }) };
    }),
  };
}

/** Ports of the gateway replace paths: the last rule takes all requests of its own route. */
function tcpVirtualService(host: string, rules: readonly Rule[], isAway: boolean): Raw {
  const { http, ...rest } = virtualService(host, rules, isAway);
  const first = 5_000 + 10 * (HOSTS as readonly string[]).indexOf(host);
  return { ...rest, tcp: http.map(({ route }: Raw, index: number) => ({ match: [{ port: first + index }], route })) };
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
