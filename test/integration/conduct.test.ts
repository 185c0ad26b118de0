import { describe } from 'vitest';
import { partOf } from '../fakes/covering-part.ts';
import { describeAdoption } from '../scenarios/adoption.ts';
import { anEnvironment, startVirtualEnvironment } from '../scenarios/environment.ts';
import { describeHealthRules } from '../scenarios/health-rules.ts';
import { describeIsolation } from '../scenarios/isolation.ts';
import { describeMoving } from '../scenarios/moving.ts';
import { describeRivalry } from '../scenarios/rivalry.ts';
import { describeSlices } from '../scenarios/slices.ts';

describe('conduct on the embedded cluster', () => {
  const environment = anEnvironment(startVirtualEnvironment);
  describeHealthRules(environment);
  describeIsolation(environment);
  describeAdoption(environment, partOf(2));
  describeMoving(environment);
  describeRivalry(environment);
  describeSlices(environment);
});
