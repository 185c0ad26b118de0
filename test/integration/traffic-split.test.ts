import { describe } from 'vitest';
import { aStage, startVirtualStage } from '../scenarios/environment.ts';
import { describeRollout } from '../scenarios/traffic-split-rollout.ts';

describe('TrafficSplits on the embedded cluster', () => {
  const stage = aStage(() => startVirtualStage());
  describeRollout(stage);
});
