import { isDeepStrictEqual } from 'node:util';
import type { Canary } from '../../api/canary.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import type { Routes, UnreadableRoutes } from '../../api/routes.ts';
import { isRecord, type JsonRecord, recordsIn, textsIn } from '../../base/json.ts';
import type { Unkept } from '../router.ts';
import { routesAhead } from '../routes-ahead.ts';
import { RoutingError } from '../routing-error.ts';
import { partsOf } from '../split/parts.ts';
import {
  type Backend,
  copiesIn,
  joinedRules,
  leadsToApplication,
  type Rule,
  type RuleForm,
  readSplitRules,
  splitRules,
} from '../split/split.ts';
import { hostsMeet, type SplitForm } from '../split/split-form.ts';
import { ALL } from '../weights.ts';
import type { GatewayCondition } from './conditions.ts';
import { mirrorFilter, responseModifier } from './filters.ts';
import { mergeMatch, normalised, type RouteMatch, withCookie } from './match.ts';
import { parentRejection, parentsMeet } from './parents.ts';
import { cookieOf, type FoundRule, isCanaryMirror, isService, readRouteObject } from './read.ts';
import { SET_COOKIE } from './render.ts';
import type { GatewayApiVersion, RouteKind } from './route-kind.ts';
import { takes } from './taken.ts';

/** Source: the CRD: rules of a route, backends of a rule, matches of a rule, matches of all of them, filters of a rule, and the largest weight. */
const MOST = { rules: 16, backends: 16, matches: 64, matchesInAll: 128, filters: 16, weight: 1_000_000 };

interface HeaderFilter {
  type?: string;
  responseHeaderModifier?: { add?: { name: string; value: string }[] };
}

/** Splits HTTPRoutes and GRPCRoutes of users. */
export function splitForm(version: GatewayApiVersion): Omit<SplitForm, 'ref' | 'namesSides'> {
  const apiVersion = `gateway.networking.k8s.io/${version}`;
  return {
    // Only v1 has GRPCRoutes.
    versions: { HTTPRoute: apiVersion, ...(version === 'v1' && { GRPCRoute: apiVersion }) },
    rules: 'spec.rules',
    split: (canary, found, routes) => ({ rules: splitRoute(canary, found, routes, version) }),
    joined(canary, found) {
      const rules = joinedRoute(canary, found, version);
      return isDeepStrictEqual(rules, recordsIn(specOf<JsonRecord>(found).rules)) ? undefined : { rules };
    },
    leading(canary, found) {
      const form = formOf(canary, found.kind as RouteKind, version);
      return joinedRoute(canary, found, version).flatMap((rule, index) =>
        leadsToApplication(canary, rule, form) ? [`spec.rules[${index}]`] : [],
      );
    },
    read: (canary, found) => readSplitRoute(canary, found, version),
    rulesIn: rulesOf,
    servicesOf: (found) => rulesOf(found).flatMap((rule) => serviceNamesIn(rule, found.metadata.namespace)),
    isFor: ({ spec: { service }, metadata: { namespace } }, found) =>
      hostsMeet(service.hosts ?? [], textsIn(specOf<JsonRecord>(found).hostnames)) &&
      parentsMeet(service.gatewayRefs ?? [], recordsIn(specOf<JsonRecord>(found).parentRefs), namespace),
    takes,
    apart: 'name hosts in spec.service.hosts that no other route has',
    rejectionOf: parentRejection,
    unkept: (canary, found, objects) => policiesOfRules(canary, found, objects, version),
  };
}

/** Policies that name one rule: copies of it have no name, and would be without them. */
function policiesOfRules(canary: Canary, found: KubeObject, objects: readonly KubeObject[], version: GatewayApiVersion): Unkept[] {
  if (!routesAhead(canary).some((routes) => partsOf(canary, routes).copies.length > 0)) return [];
  const { kind, metadata } = found;
  const form = formOf(canary, kind as RouteKind, version);
  const split = joinedRules(canary, rulesOf(found), form).filter((rule) => leadsToApplication(canary, rule, form));
  const rules = split.flatMap(({ name }) => (typeof name === 'string' ? [name] : []));
  return objects.flatMap((on): Unkept[] => {
    const { targetRef, targetRefs } = specOf<JsonRecord>(on);
    const refs = recordsIn([...recordsIn(targetRefs), targetRef]);
    const of = refs.find((ref) => ref.kind === kind && ref.name === metadata.name && rules.includes(String(ref.sectionName)));
    if (!of || on.metadata.namespace !== metadata.namespace) return [];
    return [
      {
        ...{ on, field: refs.length === 1 && targetRef ? 'spec.targetRef' : 'spec.targetRefs', isRefused: true, isPolicy: true },
        detail: `is for rule ${String(of.sectionName)} of ${kind} ${metadata.name}, and would not hold for the copies of it that a condition or a cookie of the release needs`,
        remedy: 'leave out sectionName, so that it is for the whole route, or move the rule into a route of its own',
      },
    ];
  });
}

function serviceNamesIn({ backendRefs }: Rule, home = ''): string[] {
  return recordsIn(backendRefs).flatMap(({ group = '', kind = 'Service', namespace = home, name }) =>
    (group === '' || group === 'core') && kind === 'Service' ? [`${namespace}/${name}`] : [],
  );
}

/** The rules of an HTTPRoute or GRPCRoute of the user's, with the application split. Throws a `RoutingError` where that cannot be said. */
export function splitRoute(canary: Canary, found: KubeObject, routes: Routes, version: GatewayApiVersion): Rule[] {
  const form = formOf(canary, found.kind as RouteKind, version);
  const before = rulesOf(found);
  if (!before.some((rule) => leadsToApplication(canary, rule, form)))
    throw RoutingError.of(
      `${found.kind} ${found.metadata.name} is yours and no rule of it leads to Service ${names(canary).apexService}`,
      'add such a rule, or give it another name, so that Serin can make a route of this name',
    );
  const rules = splitRules(canary, before, routes, form);
  checkLimits(found, rules);
  checkPrecedence(canary, found, rules, form);
  return rules;
}

/** The rules as the user wrote them. */
export function joinedRoute(canary: Canary, found: KubeObject, version: GatewayApiVersion): Rule[] {
  return joinedRules(canary, rulesOf(found), formOf(canary, found.kind as RouteKind, version));
}

function rulesOf(found: KubeObject): Rule[] {
  return recordsIn(specOf<JsonRecord>(found).rules);
}

/** The routes that a route of the user's expresses; `undefined` if it leads to the application whole, as before Serin. */
export function readSplitRoute(canary: Canary, found: KubeObject, version: GatewayApiVersion): Routes | UnreadableRoutes | undefined {
  return readSplitRules(canary, found, rulesOf(found), {
    form: formOf(canary, found.kind as RouteKind, version),
    read: (rules) => readRouteObject(canary, { ...found, spec: { rules } }),
  });
}

function isNarrower(copy: FoundRule, rule: FoundRule, kind: RouteKind): boolean {
  const includes = (all: readonly object[] = [], some: readonly object[] = []): boolean =>
    some.every((one) => all.some((other) => isDeepStrictEqual(one, other)));
  const isWithin = (narrow: RouteMatch, wide: RouteMatch): boolean =>
    isDeepStrictEqual([narrow.path, narrow.method], [wide.path, wide.method]) &&
    includes(narrow.headers, wide.headers) &&
    includes(narrow.queryParams, wide.queryParams) &&
    !isDeepStrictEqual(narrow, wide);
  const wide = normalised(rule.matches, kind);
  return normalised(copy.matches, kind).every((narrow) => wide.some((match) => isWithin(narrow, match)));
}

function formOf(canary: Canary, kind: RouteKind, version: GatewayApiVersion): RuleForm {
  return {
    backends: 'backendRefs',
    copiesLast: true,
    keepsApex: { mostBackends: MOST.backends },
    serviceOf: (backend) => (typeof backend.name === 'string' && isService(canary, backend, backend.name) ? backend.name : undefined),
    withService: (backend, _from, name) => ({ ...backend, name }),
    withCookie(backend, value) {
      const filters = filtersOf(backend);
      const at = filters.findIndex(({ type }) => type === 'ResponseHeaderModifier');
      const { responseHeaderModifier = {} } = filters[at] ?? {};
      // A backend can have only one modifier.
      const modifier = responseModifier({
        ...responseHeaderModifier,
        add: [...(responseHeaderModifier.add ?? []), { name: SET_COOKIE, value }],
      });
      return { ...backend, filters: at < 0 ? [...filters, modifier] : filters.with(at, modifier) };
    },
    withoutCookies(backend, other) {
      const kept = addsOf(other);
      const filters = filtersOf(backend).flatMap((filter): HeaderFilter[] => {
        const { add, ...rest } = filter.responseHeaderModifier ?? {};
        if (!add) return [filter];
        const left = add.filter((one) => one.name !== SET_COOKIE || kept.some((known) => isDeepStrictEqual(known, one)));
        if (left.length === 0 && Object.keys(rest).length === 0) return [];
        return [{ ...filter, responseHeaderModifier: { ...rest, ...(left.length > 0 && { add: left }) } }];
      });
      const { filters: _, ...bare } = backend;
      return filters.length > 0 ? { ...bare, filters } : bare;
    },
    conditioned(rule, { match, cookie }) {
      const { name: _, ...unnamed } = rule;
      const own = normalised(rule.matches as RouteMatch[] | undefined, kind);
      const within = match ? mergeMatch(match, own, kind) : own;
      const matches = cookie === undefined ? within : withCookie(within, cookie);
      // A rule that replaces the prefix can have only one match.
      const lists = JSON.stringify(rule.filters ?? []).includes('replacePrefixMatch') ? matches.map((one) => [one]) : [matches];
      return lists.map((list) => ({ ...unnamed, matches: list }));
    },
    mirrored(rule, side, percent) {
      if (percent < ALL && version !== 'v1')
        throw RoutingError.at('analysis.mirrorWeight', `${percent} needs gatewayapi:v1: ${version} mirrors all requests or none`);
      const { weight: _, filters: __, ...backendRef } = side;
      return { ...rule, filters: [...filtersOf(rule), percent < ALL ? mirrorFilter(backendRef, percent) : mirrorFilter(backendRef)] };
    },
    conditions: 'matches',
    isNarrower: (narrow, wide) => isNarrower(narrow as FoundRule, wide as FoundRule, kind),
    asksForCookie: (copy, rule) => cookieOf(copy, rule, kind) !== undefined,
    unmirrored(rule) {
      const all = filtersOf(rule);
      const filters = all.filter(({ requestMirror }: FoundFilter) => !isCanaryMirror(canary, requestMirror));
      if (filters.length === all.length) return rule;
      const { filters: _, ...bare } = rule;
      return filters.length > 0 ? { ...bare, filters } : bare;
    },
  };
}

type FoundFilter = NonNullable<FoundRule['filters']>[number];

function filtersOf(holder: JsonRecord): HeaderFilter[] {
  return Array.isArray(holder.filters) ? holder.filters.filter(isRecord) : [];
}

const addsOf = (backend: Backend) => filtersOf(backend).flatMap(({ responseHeaderModifier }) => responseHeaderModifier?.add ?? []);

/**
 * A copy has more conditions than its rule, and so can win requests that another rule of the user's has won until now: of rules for one path the rule with the
 * most headers decides, then the rule with the most query parameters (Gateway API, HTTPRouteMatch).
 */
function checkPrecedence(canary: Canary, found: KubeObject, rules: readonly Rule[], form: RuleForm): void {
  const kind = found.kind as RouteKind;
  const before = joinedRules(canary, rules, form);
  const copies = copiesIn(canary, rules, form).flatMap((rule) => matchesOf(rule, kind));
  const own = before.filter((rule) => leadsToApplication(canary, rule, form)).flatMap((rule) => matchesOf(rule, kind));
  for (const rule of before.filter((one) => !leadsToApplication(canary, one, form)))
    for (const match of matchesOf(rule, kind)) {
      const isTaken = (copy: RouteMatch) =>
        isForSamePath(copy, match) &&
        isCompatible(copy, match) &&
        countOf(copy) > countOf(match) &&
        own.some((of) => isForSamePath(of, match) && countOf(of) < countOf(match));
      if (copies.some(isTaken))
        throw RoutingError.of(
          `${kind} ${found.metadata.name} has a rule for ${JSON.stringify(match)} that leads elsewhere, and requests of it that fulfil analysis.match, or hold a cookie of the release, would come to the application`,
          'give that rule a path of its own',
        );
    }
}

const matchesOf = ({ matches }: Rule, kind: RouteKind): RouteMatch[] => normalised(matches as RouteMatch[] | undefined, kind);

const isForSamePath = (one: RouteMatch, other: RouteMatch): boolean =>
  isDeepStrictEqual([one.path, one.method], [other.path, other.method]);

/** Headers count before query parameters, of which there are 16 at most. */
const countOf = ({ headers = [], queryParams = [] }: RouteMatch): number => headers.length * 100 + queryParams.length;

/** Tests if a request can fulfil both: no name has two values. */
function isCompatible(one: RouteMatch, other: RouteMatch): boolean {
  const clash = (a: readonly GatewayCondition[] = [], b: readonly GatewayCondition[] = []) =>
    a.some((first) =>
      b.some(
        (second) =>
          first.name.toLowerCase() === second.name.toLowerCase() &&
          first.type === 'Exact' &&
          second.type === 'Exact' &&
          first.value !== second.value,
      ),
    );
  return !clash(one.headers, other.headers) && !clash(one.queryParams, other.queryParams);
}

function checkLimits({ kind, metadata: { name } }: KubeObject, rules: readonly Rule[]): void {
  const where = `${kind} ${name}`;
  const tooMany = (what: string, most: number) =>
    RoutingError.of(
      `${where} would have more than ${most} ${what} with the copies that a condition or a cookie needs`,
      'name fewer in it, or move some into another route',
    );
  const matches = rules.map((rule) => (Array.isArray(rule.matches) ? rule.matches.length : 0));
  if (rules.length > MOST.rules) throw tooMany('rules', MOST.rules);
  if (Math.max(0, ...matches) > MOST.matches) throw tooMany('matches in a rule', MOST.matches);
  if (matches.reduce((sum, count) => sum + count, 0) > MOST.matchesInAll) throw tooMany('matches', MOST.matchesInAll);
  if (rules.some((rule) => filtersOf(rule).length > MOST.filters)) throw tooMany('filters in a rule', MOST.filters);
  const weights = rules
    .flatMap((rule) => (Array.isArray(rule.backendRefs) ? rule.backendRefs : []))
    .map((one) => (isRecord(one) ? one.weight : 0));
  if (weights.some((weight) => typeof weight === 'number' && weight > MOST.weight))
    throw RoutingError.of(
      `${where} has weights above ${MOST.weight / ALL}, which cannot be split`,
      'name smaller ones of the same proportion',
    );
}
