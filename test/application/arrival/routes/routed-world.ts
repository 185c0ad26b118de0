import { drawer } from '../../../fakes/model/life.ts';
import type { Ending } from '../play.ts';
import { SHOP } from '../world.ts';
import type { RouteKind } from './users-route.ts';

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
  /** `undefined` if the route sets no weight. */
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
  /** It is written again so long after each time, as by two tools, or by a tool that tries again: within one announcement. */
  againAfterMs?: readonly number[];
}

/** The Canary is edited so long after it was made, and the edit is undone later. */
export interface Edit {
  atMs: number;
  undoneAfterMs: number;
  cohort: RoutedWorld['cohort'];
  /** It also names the hosts of all routes. */
  hasAllHosts: boolean;
  /** It names another port of the application in `spec.service.port`. */
  port?: 8081;
  /** Some seconds before it, an edit that takes nothing adds a host, which it keeps; Serin is killed so long after it. */
  added?: { killedAfterMs: number };
}

/** Service `legacy` is an application with a Canary of its own, which lists the routes that lead to it. */
export interface Second {
  cohort: 'all' | 'header' | 'affinity';
  /** Its Canary exists before the other Canary. */
  isFirst: boolean;
  /** Its Canary is deleted after the other Canary. */
  isLast: boolean;
}

/** A living application whose users come by routes that its user wrote, and the tools that write them again. */
export interface RoutedWorld {
  seed: number;
  kind: RouteKind;
  /** Whom the release is for. */
  cohort: 'all' | 'header' | 'affinity' | 'mirror';
  hasSecondPort: boolean;
  /** Rules tell requests apart by the port of the gateway, and know nothing of HTTP. */
  isTcp?: true;
  second?: Second;
  ending: Ending;
  killedAfterMs: number | undefined;
  /** A leader that is stopped in order is followed by the next one at once. */
  backAfterMs?: number;
  routes: readonly Route[];
  writes: readonly Write[];
  /** No route serves the Canary: Serin creates one, for another host. */
  hasOwnHost?: true;
  edit?: Edit;
}

const OWN_HOST = 'own.example.org';
export const ADDED_HOST = 'added.example.org';
export const HOSTS = ['shop.example.org', 'www.example.org', 'api.example.org'] as const;

export function routedWorldOf(seed: number): RoutedWorld {
  const draw = drawer(seed * 15_485_863 + 7);
  for (let warm = 0; warm < 3; warm += 1) draw(0, 2);
  const isOne = (percent: number): boolean => draw(0, 100) < percent;
  const from = <T>(...all: readonly [T, ...T[]]): T => all[draw(0, all.length)] ?? all[0];
  const kind = from<RouteKind>('HTTPRoute', 'VirtualService', 'HTTPProxy', 'GRPCRoute');
  const isTcp = kind === 'VirtualService' && isOne(25);
  const hasSecondPort = isOne(20);
  const cohort = isTcp
    ? 'all'
    : from<RoutedWorld['cohort']>('all', 'all', 'header', ...(kind === 'HTTPProxy' ? [] : (['affinity', 'mirror'] as const)));
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
    return kind === 'HTTPProxy' || kind === 'GRPCRoute' || isTcp ? [destination('static', undefined)] : 'redirect';
  };
  const rule = (path: string): Rule => ({
    path,
    ...(!isTcp && isOne(20) && { header: from('beta', 'staff') }),
    to: to(),
    terms: from('none', 'none', 'filter', 'timeout', 'both'),
    isNamed: isOne(30),
  });
  const rules = (): Rule[] => {
    const paths = ['/', '/api', '/api/v2', '/static', '/admin', '/half'].filter((path) => path === '/' || isOne(40));
    const most = paths.map(rule).toReversed();
    // The same path, for a group of users.
    return !isTcp && isOne(20)
      ? [{ ...rule('/'), header: 'beta' }, ...most.filter(({ path, header }) => path !== '/' || header === undefined)]
      : most;
  };
  const count = from(1, 1, 2, 3);
  const routes = HOSTS.slice(0, count).map((host, index): Route => {
    const at =
      index === 0
        ? from<Route['at']>('apex', 'apex', 'apex', 'apex', 'apex', 'listed', 'unlisted')
        : from<Route['at']>('listed', 'listed', 'unlisted', ...(kind === 'HTTPProxy' ? [] : (['another namespace'] as const)));
    return { name: at === 'apex' ? SHOP : nameOf(host), host, at, rules: rules() };
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
  const second: Second | undefined =
    isOne(30) && routes.some(sharesRoute)
      ? {
          cohort: isTcp ? 'all' : from<Second['cohort']>('all', 'all', 'header', ...(kind === 'HTTPProxy' ? [] : (['affinity'] as const))),
          isFirst: isOne(50),
          isLast: isOne(50),
        }
      : undefined;
  const ending = from<Ending>('success', 'failure', 'replaced', 'renamed');
  const killedAfterMs = isOne(20) ? draw(0, 15_000) : undefined;
  const hasOwnHost = !isTcp && kind !== 'HTTPProxy' && isOne(12);
  const edit: Edit | undefined =
    !isTcp && isOne(hasOwnHost ? 80 : 25)
      ? {
          ...{ atMs: draw(0, 150_000), undoneAfterMs: draw(10_000, 90_000) },
          cohort: from<RoutedWorld['cohort']>(
            'all',
            'header',
            ...(kind === 'HTTPProxy' ? [] : (['header', 'affinity', 'mirror'] as const)),
          ),
          hasAllHosts: isOne(60),
        }
      : undefined;
  if (edit && hasOwnHost) edit.added = { killedAfterMs: draw(500, 8_000) };
  if (edit && isOne(40)) edit.port = 8081;
  for (const write of writes) if (isOne(30)) write.againAfterMs = Array.from({ length: draw(1, 4) }, () => draw(100, 2_500));
  const backAfterMs = isOne(50) ? { backAfterMs: draw(50, 1_000) } : {};
  const base = {
    seed,
    kind,
    cohort,
    hasSecondPort,
    writes,
    ending,
    killedAfterMs,
    ...backAfterMs,
    ...(isTcp && { isTcp }),
    ...(edit && { edit }),
  };
  return hasOwnHost ? { ...base, hasOwnHost, routes: routes.map(unlisted) } : { ...base, routes, ...(second && { second }) };
}

const unlisted = (route: Route): Route =>
  route.at === 'another namespace' ? route : { ...route, at: 'unlisted', name: nameOf(route.host) };

const nameOf = (host: string): string => `of-${host.split('.')[0]}`;

/** Hosts in the Canary's `spec.service.hosts`. */
export function hostsOf({ routes, hasOwnHost }: RoutedWorld, hasAll: boolean): string[] {
  const own = hasOwnHost ? OWN_HOST : (routes.find(({ at }) => at === 'apex')?.host ?? HOSTS[0]);
  return hasAll ? [...new Set([own, ...routes.map(({ host }) => host)])] : [own];
}

/** True if the route leads to the second application, and Canaries may write it. */
export const sharesRoute = ({ at, rules }: Route): boolean =>
  (at === 'apex' || at === 'listed') && rules.some(({ to }) => to !== 'redirect' && to.some(({ service }) => service === 'legacy'));

/** Description for a reader who does not know the tests. */
export function describeRoutedWorld({ routes, writes, ...rest }: RoutedWorld): string {
  return [JSON.stringify(rest), ...[...routes, ...writes].map((one) => `  ${JSON.stringify(one)}`)].join('\n');
}
