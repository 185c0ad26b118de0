import { describe } from 'vitest';
import { ADVERSE } from '../scenarios/adversity/lab.ts';
import { aStage, startEmbeddedStage } from '../scenarios/environment.ts';
import { describeHandOver } from '../scenarios/failover.ts';
import { describeKills } from '../scenarios/kills.ts';

// In real time: signals, a lease between processes, and what a process leaves behind that is killed. More of both in `failover.test.ts`.
describe('processes that end, on the embedded cluster', () => {
  const stage = aStage(() => startEmbeddedStage(ADVERSE));
  describeHandOver(stage, { waiting: false });
  describeKills(stage, [101]);
});
