import { describe } from 'vitest';
import { aStage, startRealStage } from '../suite/stage.ts';
import { describeRollout } from '../suite/traffic-split-rollout.ts';

describe('TrafficSplits on the real control plane', () => {
  const stage = aStage(() => startRealStage());
  describeRollout(stage);
});
