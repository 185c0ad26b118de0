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
  /** So many may stand in it. */
  most: number;
  sidesOf(rule: Rule): readonly Side[];
  /** The same backends under a condition that no client fulfils. */
  unmatched(rule: Rule, kind: string): object;
}

/** By then a proxy knows the Services: Contour gathers changes for half a second at most. */
export const INTRODUCED_FOR_MS = 2_000;

/** A header that no client sends. */
export const INTRODUCTION = { name: 'x-serin-introduction', value: 'true' };

/**
 * Adds a rule that no request matches to the rules that stand, where all traffic leaves their Services for ones that they do not name. Contour tells
 * its Envoy of a Service once a route names it, and of the route on a stream of its own: Envoy answers 503 while it knows the route alone (DF650).
 */
export function introducing<Rule extends object>({ name, most, sidesOf, unmatched }: RuleList<Rule>): NonNullable<Router['introduction']> {
  const rulesOf = (object: KubeObject | undefined): Rule[] => specOf<Record<string, Rule[]>>(object)[name] ?? [];
  const sidesIn = (rules: readonly Rule[]): Side[] => rules.flatMap(sidesOf);
  return (next, current) => {
    const before = rulesOf(findObject(current, refOf(next)));
    const named = new Set(sidesIn(before).map(({ service }) => service));
    const after = rulesOf(next);
    const goesOn = new Set(sidesIn(after).map(({ service }) => service));
    const left = sidesIn(before).filter(({ hasTraffic }) => hasTraffic);
    const carrier = after.find((rule) => sidesOf(rule).some(({ service }) => !named.has(service)));
    if (left.length === 0 || left.some(({ service }) => goesOn.has(service)) || !carrier || before.length >= most) return undefined;
    return { ...next, spec: { ...specOf(next), [name]: [...before, unmatched(carrier, next.kind)] } };
  };
}
