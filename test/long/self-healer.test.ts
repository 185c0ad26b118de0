import { describe } from 'vitest';
import { ADVERSE } from '../scenarios/adversity/lab.ts';
import { clusters } from '../scenarios/clusters.ts';
import { describeContest } from '../scenarios/contests.ts';
import { aStage } from '../scenarios/environment.ts';

const TEN_MINUTES_MS = 600_000;

describe.each(clusters)('on $cluster', ({ start }) => {
  const stage = aStage(() => start(ADVERSE));
  describeContest(stage, { durationMs: TEN_MINUTES_MS, seed: 9 }, (contest) => process.stdout.write(`${JSON.stringify(contest)}\n`));
});
