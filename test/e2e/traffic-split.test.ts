import { describe } from 'vitest';
import { aStage, startRealStage } from '../scenarios/environment.ts';
import { describeRollout } from '../scenarios/traffic-split-rollout.ts';

describe('TrafficSplits on the real control plane', () => {
  const stage = aStage(() => startRealStage());
  describeRollout(stage);
});
