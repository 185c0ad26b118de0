import type { Metric } from '../../../api/canary.ts';
import { parseDuration } from '../../../api/duration.ts';
import { type Finding, warning } from '../../../api/finding.ts';
import { type CanaryItem, perCanary } from '../manifests.ts';

const HOUR_MS = 3_600_000;
const LONGEST_FAILURE_MS = 24 * HOUR_MS;
const LONGEST_RELEASE_MS = 7 * 24 * HOUR_MS;

/** Numbers that are in the range of their type, and not in that of their unit. */
export const limits = perCanary(function* (item) {
  const { metrics = [] } = item.canary.spec.analysis;
  for (const [index, metric] of metrics.entries()) yield* boundFindings(metric, `spec.analysis.metrics[${index}]`);
  yield* twiceNamed(metrics);
  yield* timeFindings(item);
  yield* retryFindings(item);
});

function* boundFindings({ name, thresholdRange, threshold }: Metric, path: string): Generator<Finding> {
  const isRate = name === 'request-success-rate';
  if (!isRate && name !== 'request-duration') return;
  // The old form is a minimum of the success rate and a maximum of the duration.
  const { min, max } = thresholdRange ?? (isRate ? { min: threshold } : { max: threshold });
  const at = (bound: 'min' | 'max') => (thresholdRange ? `${path}.thresholdRange.${bound}` : `${path}.threshold`);
  if (isRate) {
    if (min !== undefined && min > 0 && min <= 1)
      yield warning(
        at('min'),
        `is ${min}, and the success rate is in percent, so that almost every version passes: write ${shown(min * 100)}`,
      );
    if (min !== undefined && min > 100) yield warning(at('min'), `is ${min}, and the success rate is at most 100 percent: write 99`);
    if (max !== undefined && max < 100) {
      const right = shown(max <= 1 ? max * 100 : max);
      yield warning(at('max'), `is ${max}, so that a version without errors, at 100 percent, fails: set min to ${right}`);
    }
    return;
  }
  if (max !== undefined && max <= 1)
    yield warning(at('max'), `is ${max}, and durations are in milliseconds: write ${shown(max * 1000)} for ${max} s`);
  if (min !== undefined && min > 0 && max === undefined)
    yield warning(at('min'), `is ${min} without max, so that a fast version fails: set max`);
}

const shown = (value: number): string => String(Number(value.toFixed(3)));

function* twiceNamed(metrics: readonly Metric[]): Generator<Finding> {
  for (const [index, { name }] of metrics.entries()) {
    const first = metrics.findIndex((other) => other.name === name);
    if (first === index) continue;
    const message = `is ${name}, as of metrics[${first}]: events, status and /metrics cannot distinguish them; give each a name of its own`;
    yield warning(`spec.analysis.metrics[${index}].name`, message);
  }
}

function* timeFindings({ canary }: CanaryItem): Generator<Finding> {
  const { interval, threshold, iterations, stepWeight, maxWeight = 100 } = canary.spec.analysis;
  const intervalMs = parseDuration(interval) ?? 0;
  if (threshold * intervalMs > LONGEST_FAILURE_MS) {
    const message = `is ${threshold}, the maximum number of failed checks: at one every ${interval} a bad version keeps its traffic for ${days(threshold * intervalMs)}; a handful, such as 5, is usual`;
    yield warning('spec.analysis.threshold', message);
  }
  const steps = iterations ?? (stepWeight ? Math.ceil(maxWeight / stepWeight) : 0);
  if (steps * intervalMs > LONGEST_RELEASE_MS) {
    const time = `so that a release takes ${days(steps * intervalMs)}: use fewer or shorter ones`;
    yield warning(
      `spec.analysis.${iterations === undefined ? 'stepWeight' : 'iterations'}`,
      `makes ${steps} checks, one every ${interval}, ${time}`,
    );
  }
  if (stepWeight !== undefined && stepWeight > maxWeight) {
    const message = `is ${stepWeight}, over maxWeight ${maxWeight}: the first step is already past the end; make it smaller`;
    yield warning('spec.analysis.stepWeight', message);
  }
}

const days = (ms: number): string => (ms < 48 * HOUR_MS ? `${Math.round(ms / HOUR_MS)} hours` : `${Math.round(ms / HOUR_MS / 24)} days`);

function* retryFindings({ canary }: CanaryItem): Generator<Finding> {
  for (const [index, { retries = 0 }] of (canary.spec.analysis.webhooks ?? []).entries())
    if (retries < 0) yield warning(`spec.analysis.webhooks[${index}].retries`, `is ${retries} and counts as 0: set 0 or more`);
}
