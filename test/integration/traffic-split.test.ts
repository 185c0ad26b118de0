import { describe } from 'vitest';
import { anEnvironment, startVirtualEnvironment } from '../scenarios/environment.ts';
import { describeRollout } from '../scenarios/traffic-split-rollout.ts';

describe('TrafficSplits on the embedded cluster', () => {
  const environment = anEnvironment(() => startVirtualEnvironment());
  describeRollout(environment);
});
