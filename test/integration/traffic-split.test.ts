import { describe } from 'vitest';
import { aStage, startEmbeddedStage } from '../suite/stage.ts';
import { describeRollout } from '../suite/traffic-split-rollout.ts';

describe('TrafficSplits on the embedded cluster', () => {
  const stage = aStage(() => startEmbeddedStage());
  describeRollout(stage);
});
