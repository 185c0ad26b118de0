import { describe } from 'vitest';
import { ADVERSE } from '../scenarios/adversity/lab.ts';
import { describeContest } from '../scenarios/contests.ts';
import { anEnvironment, clusters } from '../scenarios/environment.ts';

const TEN_MINUTES_MS = 600_000;

describe.each(clusters)('on $cluster', ({ start }) => {
  const environment = anEnvironment(() => start(ADVERSE));
  describeContest(environment, { durationMs: TEN_MINUTES_MS, seed: 9 }, (contest) => process.stdout.write(`${JSON.stringify(contest)}\n`));
});
