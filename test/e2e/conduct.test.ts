import { describe } from 'vitest';
import { describeAdoption } from '../scenarios/adoption.ts';
import { aStage, startRealStage } from '../scenarios/environment.ts';
import { describeHealthRules } from '../scenarios/health-rules.ts';
import { describeIsolation } from '../scenarios/isolation.ts';
import { describeMoving } from '../scenarios/moving.ts';
import { describeRivalry } from '../scenarios/rivalry.ts';
import { describeSlices } from '../scenarios/slices.ts';

describe('conduct on a real control plane', () => {
  const stage = aStage(startRealStage);
  describeHealthRules(stage);
  describeIsolation(stage);
  describeAdoption(stage);
  describeMoving(stage);
  describeRivalry(stage);
  describeSlices(stage);
});
