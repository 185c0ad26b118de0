import { describe } from 'vitest';
import { ADVERSE } from '../scenarios/adversity/lab.ts';
import { describeContest } from '../scenarios/contests.ts';
import { anEnvironment, startVirtualEnvironment } from '../scenarios/environment.ts';
import { describeOwnership } from '../scenarios/ownership.ts';
import { describeSuspension } from '../scenarios/suspension.ts';

describe('adversity on the embedded cluster', () => {
  const environment = anEnvironment(() => startVirtualEnvironment(ADVERSE));
  describeSuspension(environment);
  describeOwnership(environment);
  describeContest(environment, { durationMs: 20_000, seed: 4 });
});
