import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../../api/kube-object.ts';
import type { HttpMatch, Routes, Weight } from '../../api/routes.ts';
import { ALL, primaryWeight, readAs, readWeights } from '../weights.ts';
import { type Expr, readExprs } from './exprs.ts';

/** One of `spec.http` of an ApisixRoute, as raw JSON: what is not named here is copied as it is (04-R-D1). */
export interface Rule {
  name?: string;
  priority?: number;
  match?: { exprs?: Expr[]; [field: string]: unknown };
  backends?: Backend[];
  upstreams?: unknown[];
  [field: string]: unknown;
}
export interface Backend {
  serviceName?: string;
  weight?: number;
  [field: string]: unknown;
}
export interface Sides {
  apex: string;
  primary: string;
  canary: string;
}

/** Before every rule of the user's; their order among themselves stays. */
const FIRST = 10_000;
/** Weight of a backend without one. Source: the ingress controller of APISIX, DefaultWeight. */
const DEFAULT_WEIGHT = 100;
const ENTRY = /-ab-\d+$/;

export function rulesOf(route: KubeObject | undefined): readonly Rule[] {
  return Array.isArray(route?.spec?.http) ? route.spec.http : [];
}

const leadsTo = (rule: Rule, service: string): boolean => (rule.backends ?? []).some(({ serviceName }) => serviceName === service);

/** The user's rules that lead to the application, and to nothing else. */
export function ownRules(source: KubeObject | undefined, apex: string): readonly Rule[] {
  return rulesOf(source).filter((rule) => leadsTo(rule, apex) && isAlone(rule));
}

/** A rule whose traffic the application shares with others, so that its weight is unknown. */
export function sharedRule(source: KubeObject | undefined, apex: string): Rule | undefined {
  return rulesOf(source).find((rule) => leadsTo(rule, apex) && !isAlone(rule));
}

const isAlone = ({ backends = [], upstreams = [] }: Rule): boolean => backends.length === 1 && upstreams.length === 0;

/** The same rule with both sides behind it, before the user's; once for each entry of a condition. */
export function copiedRules(rule: Rule, sides: Sides, share: number, match: readonly (readonly Expr[])[]): Rule[] {
  const [backend] = rule.backends ?? [];
  const entries = match.length > 0 ? match : [[]];
  return entries.map((exprs, index) => {
    const all = [...(rule.match?.exprs ?? []), ...exprs];
    return structuredClone({
      ...rule,
      name: `${rule.name ?? ''}${entries.length > 1 ? `-ab-${index}` : ''}`,
      priority: FIRST + (rule.priority ?? 0),
      match: { ...rule.match, ...(all.length > 0 ? { exprs: all } : {}) },
      backends: [
        { ...backend, serviceName: sides.primary, weight: primaryWeight(share) },
        { ...backend, serviceName: sides.canary, weight: share },
      ],
    });
  });
}

/** A rule of the copy with other weights. */
export function reweighted(rule: Rule, sides: Sides, share: number): Rule {
  const weights: Record<string, number> = { [sides.primary]: primaryWeight(share), [sides.canary]: share };
  const backends = (rule.backends ?? []).map((backend) => ({
    ...backend,
    weight: weights[backend.serviceName ?? ''] ?? backend.weight ?? DEFAULT_WEIGHT,
  }));
  return structuredClone({ ...rule, backends });
}

/** The routes that the rules of the copy express; the user's own expressions are those of `source`. */
export function readRules(copy: KubeObject, sides: Sides, source: KubeObject | undefined): Routes | { unreadable: string } {
  const where = `ApisixRoute ${copy.metadata.name}`;
  const rules = rulesOf(copy);
  const shares = rules.map((rule) => shareOf(rule, sides));
  const [share] = shares;
  if (share === undefined || shares.some((one) => one !== share))
    return {
      unreadable: `the rules of ${where} do not share between ${sides.primary} and ${sides.canary} by whole weights that sum to ${ALL}`,
    };
  const match = readMatch(rules, source);
  if (match === 'unreadable') return { unreadable: `match.exprs of ${where} say more than an A/B condition can` };
  return readAs(share, match);
}

function shareOf({ backends = [] }: Rule, { primary, canary }: Sides): Weight | undefined {
  const [first, second] = [primary, canary].map((name) => backends.find(({ serviceName }) => serviceName === name));
  if (!first || !second || backends.length !== 2) return undefined;
  return readWeights({ primary: first.weight ?? DEFAULT_WEIGHT, canary: second.weight ?? DEFAULT_WEIGHT });
}

/** Every rule of the user has the same entries: read those of the first. */
function readMatch(rules: readonly Rule[], source: KubeObject | undefined): HttpMatch[] | undefined | 'unreadable' {
  const nameOf = ({ name = '' }: Rule) => name.replace(ENTRY, '');
  const [first] = rules;
  const group = rules.filter((rule) => first && nameOf(rule) === nameOf(first));
  const entries = group.map((rule) => {
    const exprs = rule.match?.exprs ?? [];
    const users = rulesOf(source).find(({ name }) => name === nameOf(rule))?.match?.exprs ?? [];
    return isDeepStrictEqual(exprs.slice(0, users.length), users) ? exprs.slice(users.length) : exprs;
  });
  if (entries.every((exprs) => exprs.length === 0)) return undefined;
  const match = entries.map((exprs) => (exprs.length === 0 ? undefined : readExprs(exprs)));
  return match.every((entry): entry is HttpMatch => entry !== undefined) ? match : 'unreadable';
}
