import { describe } from 'vitest';
import { ADVERSE } from '../suite/adversity/lab.ts';
import { describeContest } from '../suite/contests.ts';
import { describeOwnership } from '../suite/ownership.ts';
import { aStage, startVirtualStage } from '../suite/stage.ts';
import { describeSuspension } from '../suite/suspension.ts';

describe('adversity on the embedded cluster', () => {
  const stage = aStage(() => startVirtualStage(ADVERSE));
  describeSuspension(stage);
  describeOwnership(stage);
  describeContest(stage, { durationMs: 20_000, seed: 4 });
});
