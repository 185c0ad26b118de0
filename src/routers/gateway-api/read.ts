import { isDeepStrictEqual } from 'node:util';
import type { Canary } from '../../api/canary.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import type { Routes, UnreadableRoutes } from '../../api/routes.ts';
import { pairOfPattern } from '../cookie.ts';
import { readRules } from '../read-rules.ts';
import type { Split } from '../weights.ts';
import { normalised, type RouteMatch, splitMatch } from './match.ts';
import type { RouteKind } from './route-kind.ts';

type FoundFilter = {
  type?: string;
  responseHeaderModifier?: { add?: { name: string; value: string }[] };
  requestMirror?: { backendRef?: FoundRef; percent?: number; fraction?: { numerator: number; denominator?: number } };
};
type FoundRef = { group?: string; kind?: string; name?: string; namespace?: string; weight?: number; filters?: FoundFilter[] };
/** The fields that are read of a foreign rule; all else is ignored. */
export interface FoundRule {
  matches?: RouteMatch[];
  filters?: FoundFilter[];
  backendRefs?: FoundRef[];
}

/** The routes of a route object that we or Flagger wrote. */
export function readRouteObject(canary: Canary, object: KubeObject): Routes | UnreadableRoutes {
  const kind = object.kind as RouteKind;
  const rules = specOf<{ rules: FoundRule[] }>(object).rules ?? [];
  const matchesOf = ({ matches }: FoundRule) => normalised(matches, kind);
  return readRules(canary, object, rules, {
    splitOf: (rule) => splitOf(canary, rule),
    isAlike: (rule, main) => isDeepStrictEqual(matchesOf(rule), matchesOf(main)),
    cookieOf: (rule, main) => cookieOf(rule, main, kind),
    cookiesOf,
    matchOf: (main, rest) => splitMatch(matchesOf(main), matchesOf(rest), canary.spec.analysis.match, kind),
    copiedBy: (main) => mirroredShare(canary, main),
  });
}

/** Tests if a backend is this Service of the Canary's own namespace. */
export function isService(canary: Canary, { group = '', kind = 'Service', name, namespace }: FoundRef, service: string): boolean {
  const own = canary.metadata.namespace;
  return (group === '' || group === 'core') && kind === 'Service' && name === service && (namespace ?? own) === own;
}

function splitOf(canary: Canary, { backendRefs = [] }: FoundRule): Split & { others: number } {
  const { primaryService, canaryService } = names(canary);
  const split = { primary: 0, canary: 0, others: 0, namesCanary: false };
  for (const ref of backendRefs) {
    const weight = ref.weight ?? 1;
    if (isService(canary, ref, primaryService)) split.primary += weight;
    else if (isService(canary, ref, canaryService)) {
      split.canary += weight;
      split.namesCanary = true;
    } else split.others += weight;
  }
  return split;
}

/** Percent; undefined where nothing is copied to the canary. */
function mirroredShare(canary: Canary, { filters = [] }: FoundRule): number | undefined {
  const mirror = filters.find(({ requestMirror }) => isCanaryMirror(canary, requestMirror))?.requestMirror;
  if (!mirror) return undefined;
  const { percent, fraction } = mirror;
  if (fraction) return (100 * fraction.numerator) / (fraction.denominator ?? 100);
  return percent ?? 100;
}

/** Tests if requests are copied to the canary's Service; other mirrors are the user's. */
export function isCanaryMirror(canary: Canary, mirror: FoundFilter['requestMirror']): boolean {
  return mirror?.backendRef !== undefined && isService(canary, mirror.backendRef, names(canary).canaryService);
}

/** The pair that a rule requires and the main rule does not. */
export function cookieOf(rule: FoundRule, main: FoundRule, kind: RouteKind): string | undefined {
  const known = normalised(main.matches, kind)[0]?.headers ?? [];
  const own = (normalised(rule.matches, kind)[0]?.headers ?? []).find(
    (header) => header.name.toLowerCase() === 'cookie' && !known.some((other) => isDeepStrictEqual(header, other)),
  );
  return own?.type === 'RegularExpression' ? pairOfPattern(own.value.replace(/^\^/, '').replace(/\$$/, '')) : undefined;
}

/** Headers that the answers to a rule get, `Set-Cookie` among them. */
function cookiesOf({ filters = [], backendRefs = [] }: FoundRule): string[] {
  const all = [...filters, ...backendRefs.flatMap((ref) => ref.filters ?? [])];
  return all.flatMap(({ responseHeaderModifier }) => responseHeaderModifier?.add ?? []).map(({ value }) => value);
}
