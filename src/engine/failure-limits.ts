import type { Analysis } from '../api/canary.ts';
import type { Release, Verdict } from '../api/canary-status.ts';
import { judgeChecks } from './judge-checks.ts';

type Failures = NonNullable<Release['failures']>;

/**
 * Failed intervals of each metric with a limit, including this interval (rule E20b). A metric that cannot be measured fails if `unmeasured` says so; a metric
 * that is too early or only observed never fails.
 */
export function countedFailures(before: Failures, verdicts: readonly Verdict[], { metrics = [], unmeasured }: Analysis): Failures {
  const failed = new Set(judgeChecks(verdicts, unmeasured).failed.map(({ check }) => check));
  const limited = new Set(metrics.flatMap(({ name, failureLimit }) => (failureLimit === undefined ? [] : [name])));
  const counts = [...limited].map((name) => [name, (before[name] ?? 0) + (failed.has(name) ? 1 : 0)] as const);
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

/** The first of the metrics that have failed more often than allowed. */
export function overLimit(failures: Failures, { metrics = [] }: Analysis): { name: string; failures: number; limit: number } | undefined {
  for (const { name, failureLimit: limit } of metrics) {
    const count = failures[name] ?? 0;
    if (limit !== undefined && count > limit) return { name, failures: count, limit };
  }
  return undefined;
}
