import type { Canary } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import type { Routes, UnreadableRoutes } from '../../api/routes.ts';
import { leadsTo } from '../ingress/ingress-rules.ts';
import { ALL, readAs, readPart } from '../weights.ts';
import { type CanaryRules, readMatch } from './canary-annotations.ts';

/** Annotations that choose requests, without their prefix. */
export const BY_RULE = ['canary-by-header', 'canary-by-header-value', 'canary-by-header-pattern', 'canary-by-cookie'] as const;

/** Tests if the value of the annotation `canary` is true. Source: Go, strconv.ParseBool. */
export const isCanaryMark = (value = ''): boolean => /^(1|t|T|true|TRUE|True)$/.test(value);

/** The routes that the canary's Ingress expresses; `key` gives the annotation of a name. */
export function readCopy(canary: Canary, copy: KubeObject, key: (name: string) => string): Routes | UnreadableRoutes {
  const where = `Ingress ${copy.metadata.name}`;
  const live = copy.metadata.annotations ?? {};
  const { canaryService } = names(canary);
  if (!leadsTo(copy, canaryService)) return { unreadable: `no path of ${where} leads to ${canaryService}` };
  if (!isCanaryMark(live[key('canary')])) return { unreadable: `${where} is not marked by ${key('canary')}` };
  // Less than 100 in all counts as 100. Source: ingress-nginx, route_to_alternative_balancer.
  const total = Math.max(ALL, wholeNumber(live[key('canary-weight-total')]) ?? ALL);
  const share = readPart(wholeNumber(live[key('canary-weight')] || '0') ?? -1, total);
  if (share === undefined) return { unreadable: `${key('canary-weight')} of ${where} is not a percentage` };
  const rules: CanaryRules = Object.fromEntries(BY_RULE.map((name) => [name, live[key(name)] ?? '']));
  const match = readMatch(rules, canary.spec.analysis.match);
  if (!match) return readAs(share, undefined);
  if (share > 0) return { unreadable: `${where} has both a weight and a header or cookie` };
  return { kind: 'matched', match };
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}
