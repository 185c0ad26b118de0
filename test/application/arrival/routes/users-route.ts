import type { KubeObject } from '../../../../src/api/kube-object.ts';
import { type Raw, raw } from '../../../fakes/raw.ts';

/** The kinds of routes that users write, whose rules lead to Services. */
export type RouteKind = 'HTTPRoute' | 'GRPCRoute' | 'VirtualService' | 'HTTPProxy';

/** A request from outside, as a client sends it. */
export interface Asked {
  host: string;
  path: string;
  /** Port of the gateway, for requests other than HTTP. */
  port?: number;
  headers: Readonly<Record<string, string>>;
}

/** Destination to which a rule sends a part of its requests. */
export interface Sent {
  namespace: string;
  service: string;
  /** `undefined` for the single port of the Service. */
  port: number | undefined;
  weight: number;
  /** Settings of only this part: filters, headers, the protocol. */
  terms: Raw;
}

/** Action of the data plane on a request: it is sent on, or answered by the rule itself. */
export interface Answer {
  sent: readonly Sent[];
  /** The rule without its conditions, its name and its destinations. */
  terms: Raw;
}

/** Reads routes as their data plane does, by its documentation. It shares no code with `src/routers`. */
export interface RouteReader {
  apiVersion: string;
  /** Every request that tells the rules of a route apart. */
  askedOf(route: KubeObject): Asked[];
  /** `undefined` if no rule takes the request. */
  answer(routes: readonly KubeObject[], asked: Asked): Answer | undefined;
}

const age = ({ metadata }: KubeObject): string => `${metadata.creationTimestamp ?? ''}/${metadata.namespace}/${metadata.name}`;
const oldestFirst = (routes: readonly KubeObject[]): KubeObject[] => routes.toSorted((a, b) => (age(a) < age(b) ? -1 : 1));
const isUnder = (path: string, prefix: string): boolean => path === prefix || path.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`);

/** Source: Gateway API, HTTPRouteRule and HTTPRouteMatch: "Proxy or Load Balancer routing configuration … MUST prioritize …". */
const httpRoute: RouteReader = gatewayReader(({ path }) => ({ isExact: path?.type === 'Exact', value: path?.value ?? '/' }));

/**
 * A call is a request for `/service/method`. Source: Gateway API, GRPCRouteRule: "the longest … matching service", then the longest method, then headers.
 */
const grpcRoute: RouteReader = gatewayReader(({ method: { service, method } = {} }) => ({
  isExact: method !== undefined,
  value: [service, method].reduce((path, part) => (part === undefined ? path : `${path}/${part}`), '') || '/',
}));

function gatewayReader(pathOf: (match: Raw) => { isExact: boolean; value: string }): RouteReader {
  return {
    apiVersion: 'gateway.networking.k8s.io/v1',
    askedOf: (route) =>
      (raw(route).spec.hostnames ?? []).flatMap((host: string) =>
        (raw(route).spec.rules ?? []).flatMap(({ matches = [{}] }: Raw) =>
          matches.map((match: Raw) => ({
            host,
            path: pathOf(match).value,
            headers: Object.fromEntries((match.headers ?? []).map(({ name, value }: Raw) => [name, value])),
          })),
        ),
      ),
    answer(routes, { host, path, headers }) {
      const found = oldestFirst(routes.filter((one) => (raw(one).spec.hostnames ?? []).includes(host))).flatMap((route) =>
        (raw(route).spec.rules ?? []).flatMap((rule: Raw) => {
          const matches: Raw[] = rule.matches?.length ? rule.matches : [{}];
          return matches.map((match) => ({ rule, match, namespace: route.metadata.namespace ?? '' }));
        }),
      );
      const rank = (match: Raw): number => {
        const { isExact, value } = pathOf(match);
        return (isExact ? 1e6 : 0) + value.length * 1e3 + (match.headers ?? []).length;
      };
      const isFor = (match: Raw): boolean =>
        (pathOf(match).isExact ? path === pathOf(match).value : isUnder(path, pathOf(match).value)) &&
        (match.headers ?? []).every(({ name, value, type }: Raw) =>
          type === 'RegularExpression'
            ? new RegExp(`^(?:${value})$`).test(headers[name.toLowerCase()] ?? '')
            : headers[name.toLowerCase()] === value,
        );
      const [best] = found.filter(({ match }: Raw) => isFor(match)).toSorted((a: Raw, b: Raw) => rank(b.match) - rank(a.match));
      if (best === undefined) return undefined;
      const { matches: _, name: __, backendRefs = [], filters = [], ...rest } = best.rule;
      const own = filters.filter((one: Raw) => !/-canary$/.test(one.requestMirror?.backendRef?.name ?? ''));
      return {
        terms: { ...rest, filters: own },
        sent: backendRefs.map(({ name, namespace = best.namespace, port, weight = 1, group: _g, kind: _k, ...terms }: Raw) => ({
          ...{ service: name, namespace, port, weight },
          terms: { ...terms, filters: withoutCookies(terms.filters ?? []) },
        })),
      };
    },
  };
}

/** The cookie of session affinity is the release's. */
const withoutCookies = (filters: Raw[]): Raw[] =>
  filters.filter(({ responseHeaderModifier: { add = [] } = {} }: Raw) => !add.some(({ name }: Raw) => /^set-cookie$/i.test(name)));

/**
 * Source: istio.io, VirtualService: "the first rule matching an incoming request is used". A gateway joins the VirtualServices of a host, the oldest first, and
 * moves rules that take every request to the end (`SortVHostRoutes`).
 */
const virtualService: RouteReader = {
  apiVersion: 'networking.istio.io/v1beta1',
  askedOf: (route) => [...httpAsked(route), ...tcpAsked(route)],
  answer(routes, asked) {
    return asked.port === undefined ? httpAnswer(routes, asked) : tcpAnswer(routes, asked.port);
  },
};

const httpAsked = (route: KubeObject): Asked[] =>
  (raw(route).spec.hosts ?? []).flatMap((host: string) =>
    (raw(route).spec.http ?? []).flatMap(({ match = [{}] }: Raw) =>
      match.map(({ uri, headers = {} }: Raw) => ({
        host,
        path: uri?.prefix ?? uri?.exact ?? '/',
        headers: Object.fromEntries(Object.entries<Raw>(headers).map(([name, of]) => [name, of.exact])),
      })),
    ),
  );

function httpAnswer(routes: readonly KubeObject[], { host, path, headers }: Asked): Answer | undefined {
  const isFor = ({ uri, headers: asked = {} }: Raw): boolean =>
    (uri?.prefix === undefined || path.startsWith(uri.prefix)) &&
    (uri?.exact === undefined || path === uri.exact) &&
    Object.entries<Raw>(asked).every(([name, { exact, regex }]) => {
      const value = headers[name];
      return regex === undefined ? value === exact : value !== undefined && new RegExp(`^(?:${regex})$`).test(value);
    });
  const found = oldestFirst(routes.filter((one) => (raw(one).spec.hosts ?? []).includes(host)));
  const takesAll = ({ uri, headers = {} }: Raw): boolean => (uri === undefined || uri.prefix === '/') && Object.keys(headers).length === 0;
  const alternatives = found.flatMap((route) =>
    (raw(route).spec.http ?? []).flatMap((rule: Raw) =>
      (rule.match?.length ? rule.match : [{}]).map((match: Raw) => ({ route, rule, match })),
    ),
  );
  const inOrder = [...alternatives.filter(({ match }) => !takesAll(match)), ...alternatives.filter(({ match }) => takesAll(match))];
  for (const { route, rule, match } of inOrder) {
    if (!isFor(match)) continue;
    const { match: _, name: __, route: to = [], mirror, mirrorPercentage, mirrors, ...rest } = rule;
    const isOurs = /-canary(\.|$)/.test(mirror?.host ?? '');
    const kept = isOurs ? {} : { mirror, mirrorPercentage };
    return {
      terms: { ...rest, ...kept, mirrors: (mirrors ?? []).filter((one: Raw) => !/-canary(\.|$)/.test(one.destination?.host ?? '')) },
      sent: sentTo(route, to),
    };
  }
  return undefined;
}

const tcpAsked = (route: KubeObject): Asked[] =>
  (raw(route).spec.tcp ?? []).flatMap(({ match = [] }: Raw) =>
    match.map(({ port }: Raw) => ({ host: raw(route).spec.hosts[0], path: '', port, headers: {} })),
  );

/** Source: Istio, pilot/pkg/networking/core/gateway.go, buildGatewayNetworkFiltersFromTCPRoutes: the first match of the first VirtualService. */
function tcpAnswer(routes: readonly KubeObject[], port: number): Answer | undefined {
  for (const route of oldestFirst(routes))
    for (const { match = [{}], route: to = [], ...terms } of raw(route).spec.tcp ?? [])
      if (match.some((one: Raw) => one.port === undefined || one.port === port)) return { terms, sent: sentTo(route, to) };
  return undefined;
}

function sentTo(route: KubeObject, to: Raw[]): Sent[] {
  return to.map(({ destination, weight = to.length === 1 ? 100 : 0, headers: of, ...terms }: Raw) => {
    const [service = '', namespace = route.metadata.namespace ?? ''] = destination.host.split('.');
    return {
      ...{ service, namespace, port: destination.port?.number, weight },
      terms: { ...terms, subset: destination.subset, headers: ownHeaders(of) },
    };
  });
}

function ownHeaders(headers: Raw): Raw {
  const { response: { add: { 'Set-Cookie': _, ...add } = {} as Raw, ...response } = {} as Raw, ...rest } = headers ?? {};
  const said = { ...response, ...(Object.keys(add).length > 0 && { add }) };
  return { ...rest, ...(Object.keys(said).length > 0 && { response: said }) };
}

/** Source: projectcontour.io, HTTPProxy request routing: the longest prefix, then the most header conditions; two roots of a name are both invalid. */
const httpProxy: RouteReader = {
  apiVersion: 'projectcontour.io/v1',
  askedOf: (route) =>
    (raw(route).spec.routes ?? []).map(({ conditions = [] }: Raw) => ({
      host: raw(route).spec.virtualhost?.fqdn,
      path: conditions.find(({ prefix }: Raw) => prefix)?.prefix ?? '/',
      headers: Object.fromEntries(conditions.flatMap(({ header }: Raw) => (header?.exact ? [[header.name, header.exact]] : []))),
    })),
  answer(routes, { host, path, headers }) {
    const [root, another] = routes.filter((one) => raw(one).spec.virtualhost?.fqdn === host);
    if (root === undefined || another !== undefined) return undefined;
    const isFor = ({ conditions = [] }: Raw): boolean =>
      conditions.every(({ prefix, header }: Raw) =>
        header === undefined ? isUnder(path, prefix) : header.exact !== undefined && headers[header.name] === header.exact,
      );
    const rank = ({ conditions = [] }: Raw): number =>
      (conditions.find(({ prefix }: Raw) => prefix)?.prefix ?? '/').length * 1e3 + conditions.filter(({ header }: Raw) => header).length;
    const [best] = (raw(root).spec.routes ?? []).filter(isFor).toSorted((a: Raw, b: Raw) => rank(b) - rank(a));
    if (best === undefined) return undefined;
    const { conditions: _, services = [], ...terms } = best;
    const counted = services.filter(({ mirror, name }: Raw) => !(mirror && /-canary$/.test(name)));
    // If no destination has a weight, each gets the same share.
    const isEven = counted.every(({ weight }: Raw) => !weight);
    return {
      terms,
      sent: counted.map(({ name, port, weight, ...rest }: Raw) => ({
        ...{ service: name, namespace: root.metadata.namespace ?? '', port, weight: isEven ? 1 : (weight ?? 0) },
        terms: rest,
      })),
    };
  },
};

export const readers: Readonly<Record<RouteKind, RouteReader>> = {
  HTTPRoute: httpRoute,
  GRPCRoute: grpcRoute,
  VirtualService: virtualService,
  HTTPProxy: httpProxy,
};
