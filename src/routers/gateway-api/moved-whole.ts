import type { Canary } from '../../api/canary.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import { defined } from '../../base/defined.ts';
import type { JsonRecord } from '../../base/json.ts';
import { type FoundRule, isCanaryMirror, isService } from './read.ts';
import { both } from './render.ts';

/**
 * The spec of an existing route, with all traffic on one side: the fallback when the Canary requires something that no route can express. The API server
 * accepts again what it accepted once. `share` is the canary's weight.
 */
export function movedWhole(canary: Canary, found: KubeObject, share: 0 | 100): JsonRecord {
  return rewritten(canary, found, foundRules(found), both(canary, share, {}));
}

/** The same for deletion: only the last rule, which matches every request, stays, with the apex Service behind it. */
export function leftToApex(canary: Canary, found: KubeObject): JsonRecord {
  const [primary] = both(canary, 0, {});
  return rewritten(canary, found, foundRules(found).slice(-1), [{ ...primary, name: names(canary).apexService }]);
}

const foundRules = (found: KubeObject): FoundRule[] => specOf<{ rules: FoundRule[] }>(found).rules ?? [];

function rewritten(canary: Canary, found: KubeObject, rules: readonly FoundRule[], backendRefs: readonly object[]): JsonRecord {
  const { parentRefs, hostnames } = specOf<{ parentRefs: unknown; hostnames: unknown }>(found);
  return {
    ...defined({ parentRefs, hostnames }),
    rules: rules.map((rule) => {
      const { filters = [], ...rest } = rule;
      const kept = filters.filter(({ requestMirror }) => !isCanaryMirror(canary, requestMirror));
      return {
        ...rest,
        ...(kept.length > 0 ? { filters: kept } : {}),
        ...(namesSide(canary, rule) ? { backendRefs: structuredClone([...backendRefs]) } : {}),
      };
    }),
  };
}

function namesSide(canary: Canary, { backendRefs = [] }: FoundRule): boolean {
  const { primaryService, canaryService } = names(canary);
  return backendRefs.some((ref) => isService(canary, ref, primaryService) || isService(canary, ref, canaryService));
}
