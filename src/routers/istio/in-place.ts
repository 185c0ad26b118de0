import { isDeepStrictEqual } from 'node:util';
import type { Canary } from '../../api/canary.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import type { Routes, UnreadableRoutes } from '../../api/routes.ts';
import { isRecord, type JsonRecord, recordsIn } from '../../base/json.ts';
import { cookiePattern } from '../cookie.ts';
import { RoutingError } from '../routing-error.ts';
import { type Backend, joinedRules, leadsToApplication, type Rule, type RuleForm, readSplitRules, splitRules } from '../split/split.ts';
import type { SplitForm } from '../split/split-form.ts';
import { ALL } from '../weights.ts';
import { type IstioMatch, mergeMatch, withHeader } from './match.ts';
import { isHost, readVirtualService } from './read.ts';
import { holds, takes } from './taken.ts';

/** The lists of a VirtualService whose rules have destinations. */
const LISTS = ['http', 'tls', 'tcp'] as const;
type List = (typeof LISTS)[number];
/** The lists of a VirtualService that are Serin's to write. */
export type VirtualServiceRules = Partial<Record<List, Rule[]>>;

const SET_COOKIE = 'Set-Cookie';

/** Splits VirtualServices of users. */
export const splitForm: Omit<SplitForm, 'ref' | 'isFor' | 'namesSides'> = {
  versions: { VirtualService: 'networking.istio.io/v1beta1' },
  rules: 'spec',
  split: splitVirtualService,
  joined(canary, found) {
    const joined = joinedVirtualService(canary, found);
    return Object.keys(joined).length > 0 ? joined : undefined;
  },
  leading: (canary, found) =>
    listsOf(found).flatMap(({ list, rules }) => {
      const form = formOf(canary, list);
      return joinedRules(canary, rules, form).flatMap((rule, index) =>
        leadsToApplication(canary, rule, form) ? [`spec.${list}[${index}]`] : [],
      );
    }),
  read: readSplitVirtualService,
  takes,
  apart: 'name hosts in spec.service.hosts that no other route has',
  rulesIn,
  servicesOf: (found) =>
    rulesIn(found)
      .flatMap(({ route }) => recordsIn(route))
      .flatMap(({ destination }) => namedService(destination, found.metadata.namespace) ?? []),
};

function rulesIn(found: KubeObject): Rule[] {
  return listsOf(found).flatMap(({ rules }) => rules);
}

/** The rules of a VirtualService of the user's, with the application split. Throws a `RoutingError` where that cannot be said. */
export function splitVirtualService(canary: Canary, found: KubeObject, routes: Routes): VirtualServiceRules {
  const lists = listsOf(found);
  const leading = lists.filter(({ list, rules }) => rules.some((rule) => leadsToApplication(canary, rule, formOf(canary, list))));
  if (leading.length === 0)
    throw RoutingError.of(
      `VirtualService ${found.metadata.name} is yours and no rule of it leads to ${names(canary).apexService}`,
      'add such a rule, or give it another name, so that Serin can make a route of this name',
    );
  return Object.fromEntries(leading.map(({ list, rules }) => [list, splitRules(canary, rules, routes, formOf(canary, list))]));
}

/** The rules as the user wrote them, of the lists of which some are split. */
export function joinedVirtualService(canary: Canary, found: KubeObject): VirtualServiceRules {
  const joined = listsOf(found).map(({ list, rules }) => ({
    list,
    before: rules,
    rules: joinedRules(canary, rules, formOf(canary, list)),
  }));
  return Object.fromEntries(
    joined.filter(({ before, rules }) => !isDeepStrictEqual(before, rules)).map(({ list, rules }) => [list, rules]),
  );
}

/** The routes that a VirtualService of the user's expresses; `undefined` if it leads to the application whole, as before Serin. */
export function readSplitVirtualService(canary: Canary, found: KubeObject): Routes | UnreadableRoutes | undefined {
  for (const { list, rules } of listsOf(found)) {
    const read = readSplitRules(canary, found, rules, {
      form: formOf(canary, list),
      read: (own) => readVirtualService(canary, { ...found, spec: { [list === 'http' ? 'http' : 'tcp']: own } }),
    });
    if (read !== undefined) return read;
  }
  return undefined;
}

function listsOf(found: KubeObject): { list: List; rules: Rule[] }[] {
  const spec = specOf<Record<List, unknown>>(found);
  return LISTS.flatMap((list) => {
    const rules = spec[list];
    return Array.isArray(rules) ? [{ list, rules: rules.filter(isRecord) }] : [];
  });
}

function formOf(canary: Canary, list: List): RuleForm {
  const { canaryService, apexService } = names(canary);
  return {
    backends: 'route',
    unsaid: 0,
    copiesLast: false,
    serviceOf: ({ destination }) => serviceOf(canary, destination),
    withService(backend, from, to) {
      const destination = isRecord(backend.destination) ? backend.destination : {};
      // The sides have no subsets, and the policy of a subset would be lost, also once the Canary is gone.
      if (destination.subset !== undefined && from === apexService)
        throw RoutingError.of(
          `a rule leads to subset ${String(destination.subset)} of ${from}, and the routes of a Canary lead to its two sides as a whole`,
          `let it lead to ${from} without subset, or give subset ${String(destination.subset)} a Service and a Canary of its own`,
        );
      const host = `${to}${String(destination.host).slice(from.length)}`;
      return { ...backend, destination: { ...destination, host } };
    },
    withCookie(backend, text) {
      const { headers, response, add } = addedOf(backend);
      if (Object.keys(add).some((name) => name.toLowerCase() === SET_COOKIE.toLowerCase()))
        throw RoutingError.at(
          'analysis.sessionAffinity',
          'needs Set-Cookie, which a destination of your VirtualService adds already',
          'remove one',
        );
      return { ...backend, headers: { ...headers, response: { ...response, add: { ...add, [SET_COOKIE]: text } } } };
    },
    withoutCookies(backend, other) {
      const { headers, response, add } = addedOf(backend);
      const { [SET_COOKIE]: cookie, ...others } = add;
      if (cookie === undefined || addedOf(other).add[SET_COOKIE] === cookie) return backend;
      const bare = (field: string, record: JsonRecord, inner: JsonRecord): JsonRecord => {
        const { [field]: _, ...rest } = record;
        return Object.keys(inner).length > 0 ? { ...rest, [field]: inner } : rest;
      };
      return bare('headers', backend, bare('response', headers, bare('add', response, others)));
    },
    conditioned(rule, { match, cookie }) {
      if (list !== 'http')
        throw RoutingError.at(
          match ? 'analysis.match' : 'analysis.sessionAffinity',
          `needs HTTP, and your VirtualService has a rule of ${list}`,
        );
      const { name: _, ...unnamed } = rule;
      const own = matchesOf(rule);
      const within = match ? mergeMatch(match, own) : own;
      return [{ ...unnamed, match: cookie === undefined ? within : withHeader(within, 'Cookie', { regex: cookiePattern(cookie) }) }];
    },
    mirrored(rule, side, percent) {
      if (list !== 'http') throw RoutingError.at('analysis.mirror', `needs HTTP, and your VirtualService has a rule of ${list}`);
      if (rule.mirror !== undefined || rule.mirrors !== undefined)
        throw RoutingError.at('analysis.mirror', 'cannot be said beside the mirror of your VirtualService', 'remove one of the two');
      return { ...rule, mirror: side.destination, ...(percent < ALL && { mirrorPercentage: { value: percent } }) };
    },
    unmirrored(rule) {
      const { mirror, mirrorPercentage: _, ...rest } = rule;
      const isOurs = isRecord(mirror) && typeof mirror.host === 'string' && isHost(canary, mirror.host, canaryService);
      return isOurs ? rest : rule;
    },
    conditions: 'match',
    isNarrower(narrow, wide) {
      const all = matchesOf(wide);
      return matchesOf(narrow).every((one) =>
        (all.length > 0 ? all : [{}]).some((other) => holds(one, other) && !isDeepStrictEqual(one, other)),
      );
    },
    asksForCookie: (copy, rule) => {
      const cookies = (one: Rule) => matchesOf(one).map(({ headers }) => JSON.stringify(cookieOf(headers)));
      return cookies(copy).some((cookie) => cookie !== undefined && !cookies(rule).includes(cookie));
    },
  };
}

const matchesOf = ({ match }: Rule): IstioMatch[] => (Array.isArray(match) ? match.filter(isRecord) : []);

const cookieOf = (headers: unknown): unknown =>
  isRecord(headers) ? Object.entries(headers).find(([name]) => name.toLowerCase() === 'cookie')?.[1] : undefined;

function serviceOf({ metadata: { namespace } }: Canary, destination: unknown): string | undefined {
  const [of, service] = namedService(destination, namespace)?.split('/') ?? [];
  return of === namespace ? service : undefined;
}

/** `namespace/name`. A name without a dot is one of the VirtualService's own namespace; with one it is a whole name. */
function namedService(destination: unknown, home = ''): string | undefined {
  if (!isRecord(destination) || typeof destination.host !== 'string') return undefined;
  const [service = '', of, kind] = destination.host.split('.');
  if (of === undefined) return `${home}/${service}`;
  return kind === 'svc' ? `${of}/${service}` : undefined;
}

function addedOf(backend: Backend): { headers: JsonRecord; response: JsonRecord; add: JsonRecord } {
  const record = (value: unknown): JsonRecord => (isRecord(value) ? value : {});
  const headers = record(backend.headers);
  const response = record(headers.response);
  return { headers, response, add: record(response.add) };
}
