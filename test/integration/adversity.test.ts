import { describe } from 'vitest';
import { ADVERSE } from '../scenarios/adversity/lab.ts';
import { describeContest } from '../scenarios/contests.ts';
import { aStage, startVirtualStage } from '../scenarios/environment.ts';
import { describeOwnership } from '../scenarios/ownership.ts';
import { describeSuspension } from '../scenarios/suspension.ts';

describe('adversity on the embedded cluster', () => {
  const stage = aStage(() => startVirtualStage(ADVERSE));
  describeSuspension(stage);
  describeOwnership(stage);
  describeContest(stage, { durationMs: 20_000, seed: 4 });
});
