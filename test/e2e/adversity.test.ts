import { describe } from 'vitest';
import { ADVERSE } from '../scenarios/adversity/lab.ts';
import { describeContest } from '../scenarios/contests.ts';
import { anEnvironment, startRealEnvironment } from '../scenarios/environment.ts';
import { describeKills } from '../scenarios/kills.ts';
import { describeOwnership } from '../scenarios/ownership.ts';
import { describeSuspension } from '../scenarios/suspension.ts';

describe('adversity on a real control plane', () => {
  const environment = anEnvironment(() => startRealEnvironment(ADVERSE));
  describeSuspension(environment);
  describeOwnership(environment);
  describeKills(environment, [101, 102, 103]);
  describeContest(environment, { durationMs: 20_000, seed: 4 });
});
