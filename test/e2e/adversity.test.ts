import { describe } from 'vitest';
import { ADVERSE } from '../scenarios/adversity/lab.ts';
import { describeContest } from '../scenarios/contests.ts';
import { aStage, startRealStage } from '../scenarios/environment.ts';
import { describeKills } from '../scenarios/kills.ts';
import { describeOwnership } from '../scenarios/ownership.ts';
import { describeSuspension } from '../scenarios/suspension.ts';

describe('adversity on a real control plane', () => {
  const stage = aStage(() => startRealStage(ADVERSE));
  describeSuspension(stage);
  describeOwnership(stage);
  describeKills(stage, [101, 102, 103]);
  describeContest(stage, { durationMs: 20_000, seed: 4 });
});
