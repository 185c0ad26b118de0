import { expect } from 'vitest';
import { type Growth, growthOf } from './growth.ts';
import { type LatenessByChange, LEASE_SECONDS, type LeaderChange } from './lateness.ts';
import type { SoakReport } from './virtual-soak.ts';

/** In virtual time no work takes time but requests do: a step is a few of them, of some milliseconds each. The interval is 10 s. */
const CALM_MS = 100;

const RETRY_MS = LEASE_SECONDS.retryPeriod * 1_000;
/** A standby looks once in a retry period, and counts the lease's duration from the look that shows the last renewal. */
const EXPIRED_MS = LEASE_SECONDS.duration * 1_000 + RETRY_MS;

/** The longest time without a leader. A leader that stops gives its lease up, and the standby takes it at its next look; any other lease has to expire. */
const LEADERLESS_MS: Readonly<Record<LeaderChange, number>> = { stopped: RETRY_MS, killed: EXPIRED_MS, halted: EXPIRED_MS };

/** From the end of a standby's wait to the step that was due meanwhile: the next leader lists the cluster, and measures again. */
const RESUMED_MS = 1_000;

/** A slope through fewer points says nothing. */
const FEWEST_CYCLES = 3;

/**
 * `settledFrom`: the first cycle at whose end the last leader has made a release with each end of each Canary. Returns the growth from then on, and nothing
 * if the run was too short to show it.
 */
export function judgeSoak({ counts, ...report }: SoakReport, canaries: number, settledFrom: number): Growth | undefined {
  const settled = counts.slice(settledFrom);
  const growth = settled.length < FEWEST_CYCLES ? undefined : growthOf(settled);
  process.stdout.write(`${JSON.stringify({ ...report, settledFrom, growth: growth ?? 'not judged: the run is too short' })}\n`);
  expect(report).toMatchObject({ wrong: [], idleRequests: [], complaints: [] });
  expect(report.releases.bad).toBeGreaterThan(0);
  expect(report.madeAgain).toBe((canaries / 10) * counts.length);
  expect(counts.map(({ registered, waiting }) => ({ registered, waiting }))).toEqual(
    counts.map(() => ({ registered: canaries, waiting: 0 })),
  );
  judgeLateness(report.lateness);
  if (growth === undefined) return undefined;
  // Less than one for each Canary that is made again.
  const most = canaries / 20;
  expect(growth.timers, 'timers in a cycle').toBeLessThan(most);
  expect(growth.watches, 'watches in a cycle').toBeLessThan(most);
  expect(growth.series, 'series in a cycle').toBeLessThan(most);
  expect(growth.entries, 'entries of Maps and Sets in a cycle').toBeLessThan(most);
  return growth;
}

/** Both bounds hold at any number of steps. */
export function judgeLateness({ calm, ...changed }: LatenessByChange): void {
  expect(calm.p99, 'lateness in milliseconds of a step in whose time no leader changed').toBeLessThan(CALM_MS);
  for (const [change, { max }] of Object.entries(changed))
    expect(max, `lateness in milliseconds of a step in whose time a leader was ${change}`).toBeLessThan(
      LEADERLESS_MS[change as LeaderChange] + RESUMED_MS,
    );
}
