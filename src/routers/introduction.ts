import { isDeepStrictEqual } from 'node:util';
import type { Canary } from '../api/canary.ts';
import { specOf } from '../api/kinds/spec-of.ts';
import { findObject, type KubeObject, refOf } from '../api/kube-object.ts';
import { isRecord } from '../base/json.ts';
import type { Router } from './router.ts';

interface ClusterBackend {
  /** A Service with its port, and with the policies of the rule that make another cluster of it in the proxy. */
  cluster: string;
  hasTraffic: boolean;
}

interface RuleList<Rule> {
  /** Its field in the spec. */
  name: string;
  /** Most entries of the list. */
  most: number;
  sidesOf(rule: Rule): readonly ClusterBackend[];
  /** The same backends under a condition that no client fulfils. */
  unmatched(rule: Rule, header: { name: string; value: string }, kind: string): object;
}

/** By then a proxy knows what was written: Contour gathers changes for half a second at most. */
export const INTRODUCED_FOR_MS = 2_000;

/** Before the traffic moves, and after it. */
export const INTRODUCTION_STEPS = 2;

/** A tool that takes an announcement back again and again holds neither a release nor a deletion any longer. */
export const MOST_ANNOUNCEMENTS = 5;

/** A header that no client sends; its value is the name of the Canary. */
export const INTRODUCTION = 'x-serin-introduction';
/** The value before it was that. */
const FORMER_VALUE = 'true';

/** Tests if a rule introduces Services: the user who wrote the route did not write this rule, and no request is for it. */
export const isIntroduction = (rule: object): boolean => introducedBy(rule) !== undefined;

/** Tests if this Canary introduces Services by the rule. A Canary that shares the route removes only its own rules, since proxies have to know what they name. */
export function isIntroductionOf({ metadata: { name } }: Canary, rule: object): boolean {
  const by = introducedBy(rule);
  return by === name || by === FORMER_VALUE;
}

/** Tests if this Canary introduces Services by the route. */
export function introduces(canary: Canary, route: KubeObject): boolean {
  const isIntroduced = (part: unknown): boolean =>
    Array.isArray(part)
      ? part.some((rule) => (isRecord(rule) && isIntroductionOf(canary, rule)) || isIntroduced(rule))
      : isRecord(part) && Object.values(part).some(isIntroduced);
  return isIntroduced(specOf(route));
}

function introducedBy(part: unknown): string | undefined {
  if (typeof part !== 'object' || part === null) return undefined;
  if (isRecord(part) && part.name === INTRODUCTION) return String(part.exact ?? part.value);
  for (const inner of Object.values(part)) {
    const by = introducedBy(inner);
    if (by !== undefined) return by;
  }
  return undefined;
}

/** Tests if requests still follow the rules in place after this step towards `next`. */
export function leavesTraffic(step: KubeObject, next: KubeObject): boolean {
  const others = specOf<Record<string, unknown>>(next);
  const requested = (rules: unknown): unknown => (Array.isArray(rules) ? rules.filter((rule) => !isIntroduction(rule)) : undefined);
  return Object.entries(specOf<Record<string, unknown>>(step)).some(
    ([field, rules]) => rules !== others[field] && !isDeepStrictEqual(requested(rules), requested(others[field])),
  );
}

/**
 * The steps by which traffic goes to Services that the rules in place do not name. Contour sends routes and Services to its Envoy on separate streams, and
 * Envoy answers 503 while it knows a route and not its Service. So rules that no request matches name the new Services before they get traffic, and then the
 * old ones, which must not be forgotten before the route to them is (DF650). Destinations of other rules stay.
 */
export function introducing<Rule extends object>({ name, most, sidesOf, unmatched }: RuleList<Rule>): NonNullable<Router['introduction']> {
  const rulesOf = (object: KubeObject | undefined): Rule[] => specOf<Record<string, Rule[]>>(object)[name] ?? [];
  const clustersIn = (rules: readonly Rule[]): Set<string> => new Set(rules.flatMap(sidesOf).map(({ cluster }) => cluster));
  const hasTraffic = (rule: Rule): boolean => sidesOf(rule).some((side) => side.hasTraffic);

  /** Rules with traffic for what is not known; each names something that those before it do not. */
  function carriersOf(rules: readonly Rule[], known: ReadonlySet<string>): Rule[] {
    const named = new Set(known);
    return rules.filter((rule) => {
      const isCarrier = sidesOf(rule).some((side) => side.hasTraffic && !named.has(side.cluster));
      if (isCarrier) for (const { cluster } of sidesOf(rule)) named.add(cluster);
      return isCarrier;
    });
  }

  return (canary, next, current) => {
    const found = rulesOf(findObject(current, refOf(next)));
    const [before, after] = [found.filter((rule) => !isIntroductionOf(canary, rule)), rulesOf(next)];
    const goesOn = clustersIn(after);
    const header = { name: INTRODUCTION, value: canary.metadata.name };
    if (!before.some(hasTraffic) || goesOn.size === 0) return undefined;
    const unknown = carriersOf(after, clustersIn(found));
    const [rules, carriers] = unknown.length > 0 ? [before, unknown] : [after, carriersOf(before, goesOn)];
    const unmatchedOnes = carriers.slice(0, most - rules.length).map((rule) => unmatched(rule, header, next.kind));
    return unmatchedOnes.length > 0 ? { ...next, spec: { ...specOf(next), [name]: [...rules, ...unmatchedOnes] } } : undefined;
  };
}
