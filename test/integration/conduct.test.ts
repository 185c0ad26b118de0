import { describe } from 'vitest';
import { describeAdoption } from '../suite/adoption.ts';
import { describeHealthRules } from '../suite/health-rules.ts';
import { describeIsolation } from '../suite/isolation.ts';
import { describeMoving } from '../suite/moving.ts';
import { describeRivalry } from '../suite/rivalry.ts';
import { describeSlices } from '../suite/slices.ts';
import { aStage, startVirtualStage } from '../suite/stage.ts';

describe('conduct on the embedded cluster', () => {
  const stage = aStage(startVirtualStage);
  describeHealthRules(stage);
  describeIsolation(stage);
  describeAdoption(stage);
  describeMoving(stage);
  describeRivalry(stage);
  describeSlices(stage);
});
