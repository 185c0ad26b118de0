import { expect, it } from 'vitest';
import { playContest } from '../suite/adversity/contest.ts';

const TEN_MINUTES_MS = 600_000;
const MOST_WRITES = 20;

it('ten minutes of a self-healer: at most 20 writes an object by Serin, and the release ends', async () => {
  const contest = await playContest({ durationMs: TEN_MINUTES_MS, seed: 9 });
  process.stdout.write(`${JSON.stringify(contest)}\n`);
  expect(contest.verdict).toBe('Succeeded');
  expect(contest.primaryVersion).toBe('2');
  expect(contest.healerErrors).toEqual([]);
  expect(Object.keys(contest.byHealer)).toHaveLength(3);
  expect(Math.max(...Object.values(contest.bySerin))).toBeLessThanOrEqual(MOST_WRITES);
});
