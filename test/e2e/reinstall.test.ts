import { afterAll, beforeAll, describe } from 'vitest';
import { aStage, startRealStage } from '../scenarios/environment.ts';
import { describeReinstall, type Way, waysByApi } from '../scenarios/reinstall.ts';
import { usualWays } from './usual-ways.ts';

describe('on a real control plane', () => {
  const stageOf = aStage(startRealStage);
  let ways: { ways: Way[]; stop(): void };
  beforeAll(async () => {
    ways = await usualWays(stageOf());
  });
  afterAll(() => ways?.stop());
  describeReinstall(stageOf, ({ cluster }) => [...waysByApi(cluster), ...ways.ways]);
});
