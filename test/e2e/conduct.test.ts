import { describe } from 'vitest';
import { describeAdoption } from '../scenarios/adoption.ts';
import { anEnvironment, startRealEnvironment } from '../scenarios/environment.ts';
import { describeHealthRules } from '../scenarios/health-rules.ts';
import { describeIsolation } from '../scenarios/isolation.ts';
import { describeMoving } from '../scenarios/moving.ts';
import { describeRivalry } from '../scenarios/rivalry.ts';
import { describeSlices } from '../scenarios/slices.ts';

describe('conduct on a real control plane', () => {
  const environment = anEnvironment(startRealEnvironment);
  describeHealthRules(environment);
  describeIsolation(environment);
  describeAdoption(environment);
  describeMoving(environment);
  describeRivalry(environment);
  describeSlices(environment);
});
