import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { primaryWeight } from '../weights.ts';
import type { Expr } from './exprs.ts';

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

export interface SideServices {
  apex: string;
  primary: string;
  canary: string;
}

/** Before every rule of the user's; their order among themselves stays. */
const FIRST = 10_000;

/** Weight of a backend without one. Source: the ingress controller of APISIX, DefaultWeight. */
export const DEFAULT_WEIGHT = 100;

export function rulesOf(route: KubeObject | undefined): readonly Rule[] {
  const { http } = specOf<{ http: Rule[] }>(route);
  return Array.isArray(http) ? http : [];
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
export function copiedRules(rule: Rule, sides: SideServices, share: number, match: readonly (readonly Expr[])[]): Rule[] {
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
export function reweighted(rule: Rule, sides: SideServices, share: number): Rule {
  const weights: Record<string, number> = { [sides.primary]: primaryWeight(share), [sides.canary]: share };
  const backends = (rule.backends ?? []).map((backend) => ({
    ...backend,
    weight: weights[backend.serviceName ?? ''] ?? backend.weight ?? DEFAULT_WEIGHT,
  }));
  return structuredClone({ ...rule, backends });
}
