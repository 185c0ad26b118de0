import { describe } from 'vitest';
import { ADVERSE } from '../scenarios/adversity/lab.ts';
import { anEnvironment, clusters } from '../scenarios/environment.ts';
import { describeFailover } from '../scenarios/failover.ts';

const seeds = process.env.SEEDS?.split(',').map(Number) ?? Array.from({ length: 30 }, (_, index) => index + 1);

describe.each(clusters)('high availability on $cluster', ({ start }) => {
  const environment = anEnvironment(() => start(ADVERSE));
  describeFailover(environment, { seeds, haltedMs: 12_000, cutMs: 60_000, awayMs: 60_000 });
});
