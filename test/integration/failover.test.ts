import { describe } from 'vitest';
import { ADVERSE } from '../scenarios/adversity/lab.ts';
import { aStage, startVirtualStage } from '../scenarios/environment.ts';
import { describeHandOver } from '../scenarios/failover.ts';
import { describeKills } from '../scenarios/kills.ts';

describe('controllers that end, on the embedded cluster', () => {
  const stage = aStage(() => startVirtualStage(ADVERSE));
  describeHandOver(stage);
  describeKills(stage, [102, 103]);
});
