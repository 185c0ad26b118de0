import { afterAll, beforeAll, describe } from 'vitest';
import { anEnvironment, startRealEnvironment } from '../scenarios/environment.ts';
import { describeReinstall, type Way, waysByApi } from '../scenarios/reinstall.ts';
import { usualWays } from './usual-ways.ts';

describe('on a real control plane', () => {
  const environmentOf = anEnvironment(startRealEnvironment);
  let ways: { ways: Way[]; stop(): void };
  beforeAll(async () => {
    ways = await usualWays(environmentOf());
  });
  afterAll(() => ways?.stop());
  describeReinstall(environmentOf, ({ cluster }) => [...waysByApi(cluster), ...ways.ways]);
});
