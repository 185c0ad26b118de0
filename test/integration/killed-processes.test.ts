import { describe } from 'vitest';
import { ADVERSE } from '../scenarios/adversity/lab.ts';
import { anEnvironment, startEmbeddedEnvironment } from '../scenarios/environment.ts';
import { describeHandOver } from '../scenarios/failover.ts';
import { describeKills } from '../scenarios/kills.ts';

// In real time: signals, a lease between processes, and the remains of a killed process. More of both in `failover.test.ts`.
describe('processes that end, on the embedded cluster', () => {
  const environment = anEnvironment(() => startEmbeddedEnvironment(ADVERSE));
  describeHandOver(environment, { waiting: false });
  describeKills(environment, [101]);
});
