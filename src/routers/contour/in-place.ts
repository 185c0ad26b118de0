import { isDeepStrictEqual } from 'node:util';
import type { Canary } from '../../api/canary.ts';
import { isRecord, type JsonRecord, recordsIn } from '../../api/json.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import type { Routes, UnreadableRoutes } from '../../api/routes.ts';
import { isIntroduction } from '../introduction.ts';
import { RoutingError } from '../routing-error.ts';
import { joinedRules, leadsToApplication, type Rule, type RuleForm, readSplitRules, splitRules } from '../split/split.ts';
import type { SplitForm } from '../split/split-form.ts';
import { type Conditions, mergeConditions } from './conditions.ts';
import { readHttpProxy } from './read.ts';

/** How HTTPProxies of users are split. */
export const inPlace: Omit<SplitForm, 'ref' | 'isFor'> = {
  versions: { HTTPProxy: 'projectcontour.io/v1' },
  rules: 'spec.routes',
  split: (canary, found, routes) => ({ routes: splitHttpProxy(canary, found, routes) }),
  joined(canary, found) {
    const routes = joinedHttpProxy(canary, found);
    return routes && { routes };
  },
  read: readSplitHttpProxy,
  servicesOf: (found) =>
    rulesOf(found)
      .flatMap(({ services }) => recordsIn(services))
      .flatMap(({ name, mirror }) => (mirror === true ? [] : [`${found.metadata.namespace}/${name}`])),
};

/** The routes of an HTTPProxy of the user's, with the application split. Throws a `RoutingError` where that cannot be said. */
export function splitHttpProxy(canary: Canary, found: KubeObject, routes: Routes): Rule[] {
  const rules = rulesOf(found);
  const form = formOf(canary);
  if (!rules.some((rule) => leadsToApplication(canary, rule, form)))
    throw new RoutingError(
      `HTTPProxy ${found.metadata.name} is yours and no route of it leads to Service ${names(canary).apexService}: add one that does, or give it another name, so that Serin can make one of this name`,
    );
  return splitRules(canary, rules, routes, form);
}

/** The routes as the user wrote them; undefined: none of them is split. */
export function joinedHttpProxy(canary: Canary, found: KubeObject): Rule[] | undefined {
  const rules = rulesOf(found);
  const joined = joinedRules(canary, rules, formOf(canary));
  return isDeepStrictEqual(recordsIn(specOf<JsonRecord>(found).routes), joined) ? undefined : joined;
}

/** The routes that an HTTPProxy of the user's expresses; undefined: it leads to the application whole, as before Serin. */
export function readSplitHttpProxy(canary: Canary, found: KubeObject): Routes | UnreadableRoutes | undefined {
  return readSplitRules(canary, found, rulesOf(found), {
    form: formOf(canary),
    read: (routes) => readHttpProxy(canary, { ...found, spec: { routes } }),
  });
}

function rulesOf(found: KubeObject): Rule[] {
  return recordsIn(specOf<JsonRecord>(found).routes).filter((rule) => !isIntroduction(rule));
}

const conditionsOf = ({ conditions }: Rule): Conditions => (Array.isArray(conditions) ? (conditions as Conditions) : []);

function formOf(canary: Canary): RuleForm {
  const { canaryService } = names(canary);
  const isCanaryMirror = (backend: unknown): boolean => isRecord(backend) && backend.mirror === true && backend.name === canaryService;
  return {
    backends: 'services',
    unsaid: 0,
    copiesLast: false,
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
