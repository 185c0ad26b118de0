import type { Analysis } from '../api/canary.ts';
import type { Release, Verdict } from '../api/canary-status.ts';
import { judgeChecks } from './judge.ts';

type Failures = NonNullable<Release['failures']>;

/**
 * Failed ticks of each metric that has a limit, with this one (rule E20b). What cannot be measured fails where `unmeasured` says so, and
 * what is too early or only observed never does.
 */
export function countedFailures(before: Failures, verdicts: readonly Verdict[], { metrics = [], unmeasured }: Analysis): Failures {
  const failed = new Set(judgeChecks(verdicts, unmeasured).failed.map(({ check }) => check));
  const limited = new Set(metrics.flatMap(({ name, failureLimit }) => (failureLimit === undefined ? [] : [name])));
  const counts = [...limited].map((name) => [name, (before[name] ?? 0) + (failed.has(name) ? 1 : 0)] as const);
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

/** Of the metrics that have failed more often than they may, the first. */
export function overLimit(failures: Failures, { metrics = [] }: Analysis): { name: string; failures: number; limit: number } | undefined {
  for (const { name, failureLimit: limit } of metrics) {
    const count = failures[name] ?? 0;
    if (limit !== undefined && count > limit) return { name, failures: count, limit };
  }
  return undefined;
}
