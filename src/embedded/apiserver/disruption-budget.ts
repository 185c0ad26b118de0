import type { Json, JsonObject } from './json.ts';
import { labelSelectorCauses } from './label-selector.ts';
import { invalidValue, type StatusCause, unsupportedValue } from './status.ts';

const PERCENT =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";
const UNHEALTHY = ['AlwaysAllow', 'IfHealthyBudget'];

/** Errors of kube-apiserver in the spec of a PodDisruptionBudget. Source: its ValidatePodDisruptionBudgetSpec. */
export function disruptionBudgetCauses(spec: JsonObject): StatusCause[] {
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy: policy } = spec;
  const isBoth = minAvailable !== undefined && maxUnavailable !== undefined;
  return [
    ...(isBoth ? [invalidValue('spec', spec, 'minAvailable and maxUnavailable cannot be both set')] : []),
    ...amountCauses(minAvailable, 'spec.minAvailable'),
    ...amountCauses(maxUnavailable, 'spec.maxUnavailable'),
    ...labelSelectorCauses(selector, 'spec.selector'),
    ...(policy === undefined || UNHEALTHY.includes(policy) ? [] : [unsupportedValue('spec.unhealthyPodEvictionPolicy', policy, UNHEALTHY)]),
  ];
}

function amountCauses(amount: Json, field: string): StatusCause[] {
  if (amount === undefined) return [];
  if (typeof amount === 'number') return amount >= 0 ? [] : [invalidValue(field, amount, 'must be greater than or equal to 0')];
  if (!/^[0-9]+%$/.test(amount)) return [invalidValue(field, amount, PERCENT)];
  return Number.parseInt(amount, 10) > 100 ? [invalidValue(field, amount, 'must not be greater than 100%')] : [];
}
