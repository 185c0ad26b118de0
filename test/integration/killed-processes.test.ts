import { describe } from 'vitest';
import { ADVERSE } from '../suite/adversity/lab.ts';
import { describeHandOver } from '../suite/failover.ts';
import { describeKills } from '../suite/kills.ts';
import { aStage, startEmbeddedStage } from '../suite/stage.ts';

// In real time: signals, a lease between processes, and what a process leaves behind that is killed.
describe('processes that end, on the embedded cluster', () => {
  const stage = aStage(() => startEmbeddedStage(ADVERSE));
  describeHandOver(stage);
  describeKills(stage, [101, 102, 103]);
});
