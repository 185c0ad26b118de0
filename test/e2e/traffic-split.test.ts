import { describe } from 'vitest';
import { anEnvironment, startRealEnvironment } from '../scenarios/environment.ts';
import { describeRollout } from '../scenarios/traffic-split-rollout.ts';

describe('TrafficSplits on the real control plane', () => {
  const environment = anEnvironment(() => startRealEnvironment());
  describeRollout(environment);
});
