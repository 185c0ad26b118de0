import { describe } from 'vitest';
import { aStage, startVirtualStage } from '../suite/stage.ts';
import { describeRollout } from '../suite/traffic-split-rollout.ts';

describe('TrafficSplits on the embedded cluster', () => {
  const stage = aStage(() => startVirtualStage());
  describeRollout(stage);
});
