import { isDeepStrictEqual } from 'node:util';
import type { Canary } from '../../api/canary.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import { isRecord, type JsonRecord, recordsIn } from '../../base/json.ts';
import { RoutingError } from '../routing-error.ts';
import { agreed } from '../split/agreed.ts';
import { joinedRules, leadsToApplication, type Rule, type RuleForm, readSplitRules, splitRules } from '../split/split.ts';
import type { SplitForm } from '../split/split-form.ts';
import { type Conditions, mergeConditions } from './conditions.ts';
import { readHttpProxy } from './read.ts';
import { takes } from './taken.ts';

/** Splits HTTPProxies of users. */
export const inPlace: Omit<SplitForm, 'ref' | 'isFor' | 'namesSides'> = {
  versions: { HTTPProxy: 'projectcontour.io/v1' },
  rules: 'spec',
  split(canary, found, routes) {
    const leading = listsOf(canary, found).filter(({ rules, form }) => rules.some((rule) => leadsToApplication(canary, rule, form)));
    if (leading.length === 0)
      throw RoutingError.of(
        `HTTPProxy ${found.metadata.name} is yours and no route of it leads to Service ${names(canary).apexService}`,
        'add such a route, or give it another name, so that Serin can make one of this name',
      );
    return fieldsOf(leading.map((one) => ({ ...one, rules: splitRules(canary, one.rules, routes, one.form) })));
  },
  joined(canary, found) {
    const lists = listsOf(canary, found).map((one) => ({ ...one, rules: joinedRules(canary, one.rules, one.form) }));
    const changed = lists.filter(({ before, rules }) => !isDeepStrictEqual(before, rules));
    return changed.length > 0 ? fieldsOf(changed) : undefined;
  },
  leading: (canary, found) =>
    listsOf(canary, found).flatMap(({ field, rules, form }) =>
      joinedRules(canary, rules, form).flatMap((rule, index) =>
        leadsToApplication(canary, rule, form) ? [field === 'routes' ? `spec.routes[${index}]` : 'spec.tcpproxy'] : [],
      ),
    ),
  read(canary, found) {
    const leading = listsOf(canary, found).filter(({ rules, form }) => rules.some((rule) => leadsToApplication(canary, rule, form)));
    const read = (routes: Rule[]) => readHttpProxy(canary, { ...found, spec: { routes } });
    return agreed(leading.map(({ rules, form }) => ({ found, routes: readSplitRules(canary, found, rules, { form, read }) })));
  },
  takes,
  apart: 'leave them out of spec.service.match and analysis.match',
  rulesIn,
  servicesOf: (found) =>
    rulesIn(found)
      .flatMap(({ services }) => recordsIn(services))
      .flatMap(({ name, mirror }) => (mirror === true ? [] : [`${found.metadata.namespace}/${name}`])),
};

function rulesIn(found: KubeObject): Rule[] {
  return [...rulesOf(found), ...tcpProxyOf(found)];
}

interface RuleList {
  field: 'routes' | 'tcpproxy';
  /** Rules of the object, unmodified. */
  before: Rule[];
  rules: Rule[];
  form: RuleForm;
}

/** A `tcpproxy` is one rule, which takes all connections. */
function listsOf(canary: Canary, found: KubeObject): RuleList[] {
  const form = formOf(canary);
  return [
    { field: 'routes', before: recordsIn(specOf<JsonRecord>(found).routes), rules: rulesOf(found), form },
    { field: 'tcpproxy', before: tcpProxyOf(found), rules: tcpProxyOf(found), form: { ...form, ...connectionsOnly } },
  ];
}

const fieldsOf = (lists: readonly Pick<RuleList, 'field' | 'rules'>[]): JsonRecord =>
  Object.fromEntries(lists.map(({ field, rules }) => [field, field === 'routes' ? rules : rules[0]]));

const tcpProxyOf = (found: KubeObject): Rule[] => recordsIn([specOf<JsonRecord>(found).tcpproxy]);

const needsHttp = (field: string): RoutingError =>
  RoutingError.at(field, 'needs HTTP, and your HTTPProxy has a tcpproxy', 'give it a Canary without');

const connectionsOnly: Pick<RuleForm, 'conditioned' | 'mirrored'> = {
  conditioned: (_rule, { match }) => {
    throw needsHttp(match ? 'analysis.match' : 'analysis.sessionAffinity');
  },
  mirrored: () => {
    throw needsHttp('analysis.mirror');
  },
};

function rulesOf(found: KubeObject): Rule[] {
  return recordsIn(specOf<JsonRecord>(found).routes);
}

const conditionsOf = ({ conditions }: Rule): Conditions => (Array.isArray(conditions) ? (conditions as Conditions) : []);

function formOf(canary: Canary): RuleForm {
  const { canaryService } = names(canary);
  const isCanaryMirror = (backend: unknown): boolean => isRecord(backend) && backend.mirror === true && backend.name === canaryService;
  return {
    backends: 'services',
    unsaid: 0,
    copiesLast: false,
    keepsApex: { mostBackends: Number.POSITIVE_INFINITY },
    serviceOf: ({ name }) => (typeof name === 'string' ? name : undefined),
    isMirror: ({ mirror }) => mirror === true,
    withService: (backend, _from, name) => ({ ...backend, name }),
    withCookie: () => {
      throw RoutingError.at('analysis.sessionAffinity', 'cannot be said in an HTTPProxy, which sets headers and adds none');
    },
    withoutCookies: (backend) => backend,
    conditioned(rule, { match, cookie }) {
      if (cookie !== undefined)
        throw RoutingError.at('analysis.sessionAffinity', 'cannot be said in an HTTPProxy, which sets headers and adds none');
      return mergeConditions(match ?? [], [conditionsOf(rule)]).map((conditions) => ({ ...rule, conditions }));
    },
    mirrored(rule, side, percent) {
      const services = Array.isArray(rule.services) ? rule.services : [];
      if (services.some((one) => isRecord(one) && one.mirror === true))
        throw RoutingError.at('analysis.mirror', 'cannot be said beside the mirror of your HTTPProxy: a route has one at most');
      if (percent === 0) throw new RoutingError('Contour takes a mirror of 0 percent for one of 100');
      return { ...rule, services: [...services, { ...side, weight: percent, mirror: true }] };
    },
    unmirrored(rule) {
      const services = Array.isArray(rule.services) ? rule.services : [];
      return services.some(isCanaryMirror) ? { ...rule, services: services.filter((one) => !isCanaryMirror(one)) } : rule;
    },
    conditions: 'conditions',
    isNarrower(narrow, wide) {
      const [all, some] = [conditionsOf(narrow), conditionsOf(wide)];
      return all.length > some.length && some.every((one) => all.some((other) => isDeepStrictEqual(one, other)));
    },
    asksForCookie: () => false,
  };
}
