import { describe } from 'vitest';
import { ADVERSE } from '../scenarios/adversity/lab.ts';
import { anEnvironment, startVirtualEnvironment } from '../scenarios/environment.ts';
import { describeHandOver } from '../scenarios/failover.ts';
import { describeKills } from '../scenarios/kills.ts';

describe('controllers that end, on the embedded cluster', () => {
  const environment = anEnvironment(() => startVirtualEnvironment(ADVERSE));
  describeHandOver(environment);
  describeKills(environment, [102, 103]);
});
