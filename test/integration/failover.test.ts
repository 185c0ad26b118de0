import { describe } from 'vitest';
import { ADVERSE } from '../suite/adversity/lab.ts';
import { describeHandOver } from '../suite/failover.ts';
import { describeKills } from '../suite/kills.ts';
import { aStage, startVirtualStage } from '../suite/stage.ts';

describe('controllers that end, on the embedded cluster', () => {
  const stage = aStage(() => startVirtualStage(ADVERSE));
  describeHandOver(stage);
  describeKills(stage, [102, 103]);
});
