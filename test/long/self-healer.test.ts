import { describe } from 'vitest';
import { ADVERSE } from '../suite/adversity/lab.ts';
import { clusters } from '../suite/clusters.ts';
import { describeContest } from '../suite/contests.ts';
import { aStage } from '../suite/stage.ts';

const TEN_MINUTES_MS = 600_000;

describe.each(clusters)('on $cluster', ({ start }) => {
  const stage = aStage(() => start(ADVERSE));
  describeContest(stage, { durationMs: TEN_MINUTES_MS, seed: 9 }, (contest) => process.stdout.write(`${JSON.stringify(contest)}\n`));
});
