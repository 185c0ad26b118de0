import { describe } from 'vitest';
import { ADVERSE } from '../suite/adversity/lab.ts';
import { describeContest } from '../suite/contests.ts';
import { describeHandOver } from '../suite/failover.ts';
import { describeKills } from '../suite/kills.ts';
import { describeOwnership } from '../suite/ownership.ts';
import { aStage, startEmbeddedStage } from '../suite/stage.ts';
import { describeSuspension } from '../suite/suspension.ts';

describe('adversity on the embedded cluster', () => {
  const stage = aStage(() => startEmbeddedStage(ADVERSE));
  describeSuspension(stage);
  describeOwnership(stage);
  describeHandOver(stage);
  describeKills(stage, [101, 102, 103]);
  describeContest(stage, { durationMs: 20_000, seed: 4 });
});
