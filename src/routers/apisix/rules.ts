import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { primaryWeight } from '../weights.ts';
import type { MatchExpr } from './exprs.ts';

/** One of `spec.http` of an ApisixRoute, as raw JSON: fields that are not named here are copied unmodified. */
export interface RawRule {
  name?: string;
  priority?: number;
  match?: { exprs?: MatchExpr[]; [field: string]: unknown };
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

/** The rule with the lowest priority above this rule, of rules that lead elsewhere: its requests do not belong to the application. */
function nextElsewhere(source: KubeObject | undefined, { priority = 0 }: RawRule, apex: string): RawRule | undefined {
  return rulesOf(source)
    .filter((other) => (other.priority ?? 0) > priority && !leadsTo(other, apex))
    .toSorted((a, b) => (a.priority ?? 0) - (b.priority ?? 0))[0];
}

/** The priority of the copy of a rule: above it, and below rules that lead elsewhere. */
export function copyPriority(source: KubeObject | undefined, rule: RawRule, apex: string): number {
  const { priority = 0 } = rule;
  return nextElsewhere(source, rule, apex) ? priority + 1 : firstPriority(rule);
}

/** The priority that an earlier Serin used in any case. */
export const firstPriority = ({ priority = 0 }: RawRule): number => FIRST + priority;

/** A rule of the application's that has no priority left for its copy below the `next` rule, which leads elsewhere. */
export function narrowRule(source: KubeObject | undefined, apex: string): { rule: RawRule; next: RawRule } | undefined {
  for (const rule of ownRules(source, apex)) {
    const next = nextElsewhere(source, rule, apex);
    if (next?.priority === (rule.priority ?? 0) + 1) return { rule, next };
  }
  return undefined;
}

/** Weight of a backend without one. Source: the ingress controller of APISIX, DefaultWeight. */
export const DEFAULT_WEIGHT = 100;

/** `spec.http`; empty without the object, or where it is not a list. */
export function rulesOf(route: KubeObject | undefined): readonly RawRule[] {
  const { http } = specOf<{ http: RawRule[] }>(route);
  return Array.isArray(http) ? http : [];
}

/** Tests if one of its backends is this Service. */
export const leadsTo = (rule: RawRule, service: string): boolean =>
  (rule.backends ?? []).some(({ serviceName }) => serviceName === service);

/** The user's rules that lead to the application, and to nothing else. */
export function ownRules(source: KubeObject | undefined, apex: string): readonly RawRule[] {
  return rulesOf(source).filter((rule) => leadsTo(rule, apex) && isAlone(rule));
}

/** A rule whose traffic the application shares with others, so that its weight is unknown. */
export function sharedRule(source: KubeObject | undefined, apex: string): RawRule | undefined {
  return rulesOf(source).find((rule) => leadsTo(rule, apex) && !isAlone(rule));
}

const isAlone = ({ backends = [], upstreams = [] }: RawRule): boolean => backends.length === 1 && upstreams.length === 0;

/** The same rule with both sides behind it, before the user's; once for each entry of a condition. */
export function copiedRules(
  rule: RawRule,
  sides: SideServices,
  { share, match, priority }: { share: number; match: readonly (readonly MatchExpr[])[]; priority: number },
): RawRule[] {
  const [backend] = rule.backends ?? [];
  const entries = match.length > 0 ? match : [[]];
  return entries.map((exprs, index) => {
    const all = [...(rule.match?.exprs ?? []), ...exprs];
    return structuredClone({
      ...rule,
      name: `${rule.name ?? ''}${entries.length > 1 ? `-ab-${index}` : ''}`,
      priority,
      match: { ...rule.match, ...(all.length > 0 ? { exprs: all } : {}) },
      backends: [
        { ...backend, serviceName: sides.primary, weight: primaryWeight(share) },
        { ...backend, serviceName: sides.canary, weight: share },
      ],
    });
  });
}

/** A rule of the copy with other weights. */
export function reweighted(rule: RawRule, sides: SideServices, share: number): RawRule {
  const weights: Record<string, number> = { [sides.primary]: primaryWeight(share), [sides.canary]: share };
  const backends = (rule.backends ?? []).map((backend) => ({
    ...backend,
    weight: weights[backend.serviceName ?? ''] ?? backend.weight ?? DEFAULT_WEIGHT,
  }));
  return structuredClone({ ...rule, backends });
}
