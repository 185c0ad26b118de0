import { expect } from 'vitest';
import { growthOf } from './growth.ts';
import type { SoakReport } from './virtual-soak.ts';

/** `settledFrom`: the first cycle at whose end the last leader has made a release with each end of each Canary. */
export function judgeSoak({ counts, ...report }: SoakReport, canaries: number, settledFrom: number): void {
  expect(report).toMatchObject({ wrong: [], idleRequests: [], complaints: [] });
  expect(report.releases.bad).toBeGreaterThan(0);
  expect(report.madeAgain).toBe((canaries / 10) * counts.length);
  expect(counts.map(({ registered, waiting }) => ({ registered, waiting }))).toEqual(
    counts.map(() => ({ registered: canaries, waiting: 0 })),
  );
  // The interval is 10 s; in virtual time no work takes time but requests do.
  expect(report.lateness.p99, 'lateness of a step in milliseconds').toBeLessThan(100);
  const growth = growthOf(counts.slice(settledFrom));
  process.stdout.write(`${JSON.stringify({ ...report, settledFrom, growth })}\n`);
  // Less than one for each Canary that is made again.
  const most = canaries / 20;
  expect(growth.timers, 'timers in a cycle').toBeLessThan(most);
  expect(growth.watches, 'watches in a cycle').toBeLessThan(most);
  expect(growth.series, 'series in a cycle').toBeLessThan(most);
  expect(growth.entries, 'entries of Maps and Sets in a cycle').toBeLessThan(most);
}
