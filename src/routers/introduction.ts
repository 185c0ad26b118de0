import { specOf } from '../api/kinds/spec-of.ts';
import { type KubeObject, refOf } from '../api/kube-object.ts';
import { findObject } from './find-object.ts';
import type { Router } from './router.ts';

interface Side {
  service: string;
  hasTraffic: boolean;
}

interface RuleList<Rule> {
  /** Its field in the spec. */
  name: string;
  /** Most entries of the list. */
  most: number;
  sidesOf(rule: Rule): readonly Side[];
  /** The same backends under a condition that no client fulfils. */
  unmatched(rule: Rule, kind: string): object;
}

/** By then a proxy knows what was written: Contour gathers changes for half a second at most. */
export const INTRODUCED_FOR_MS = 2_000;

/** Before the traffic moves, and after it. */
export const INTRODUCTION_STEPS = 2;

/** A header that no client sends. */
export const INTRODUCTION = { name: 'x-serin-introduction', value: 'true' };

/** Tests if a rule introduces Services: the user who wrote the route did not write this rule, and no request is for it. */
export const isIntroduction = (rule: object): boolean => JSON.stringify(rule).includes(INTRODUCTION.name);

/**
 * The steps by which all traffic goes to Services that the rules in place do not name. Contour sends routes and Services to its Envoy on separate streams, and
 * Envoy answers 503 while it knows a route and not its Service. So a rule that no request matches names the new Services before they get traffic, and then the
 * old ones, which must not be forgotten before the route to them is (DF650).
 */
export function introducing<Rule extends object>({ name, most, sidesOf, unmatched }: RuleList<Rule>): NonNullable<Router['introduction']> {
  const rulesOf = (object: KubeObject | undefined): Rule[] => specOf<Record<string, Rule[]>>(object)[name] ?? [];
  const sidesIn = (rules: readonly Rule[]): Side[] => rules.flatMap(sidesOf);
  return (next, current) => {
    const found = rulesOf(findObject(current, refOf(next)));
    const [before, after] = [found.filter((rule) => !isIntroduction(rule)), rulesOf(next)];
    const named = new Set(sidesIn(found).map(({ service }) => service));
    const goesOn = new Set(sidesIn(after).map(({ service }) => service));
    const left = sidesIn(before).filter(({ hasTraffic }) => hasTraffic);
    if (left.length === 0 || left.some(({ service }) => goesOn.has(service))) return undefined;
    const unknown = after.find((rule) => sidesOf(rule).some(({ service }) => !named.has(service)));
    const leaving = before.find((rule) => sidesOf(rule).some(({ hasTraffic }) => hasTraffic));
    const [rules, carrier] = unknown ? [before, unknown] : [after, leaving];
    if (!carrier || rules.length >= most || goesOn.size === 0) return undefined;
    return { ...next, spec: { ...specOf(next), [name]: [...rules, unmatched(carrier, next.kind)] } };
  };
}
