import type { Metric } from '../../api/canary.ts';
import { rangeOf } from '../../reading/canary-report.ts';

/** The accepted range of a check by its name, as numbers; empty if the check has no range, or is not one of these metrics. */
export function boundsOf(check: string, metrics: readonly Metric[] = []): ReturnType<typeof rangeOf>['limit'] {
  const metric = metrics.find(({ name }) => name === check);
  return metric ? rangeOf(metric).limit : {};
}
