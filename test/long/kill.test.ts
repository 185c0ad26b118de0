import { describe } from 'vitest';
import { ADVERSE } from '../scenarios/adversity/lab.ts';
import { anEnvironment, clusters } from '../scenarios/environment.ts';
import { describeKills } from '../scenarios/kills.ts';

/** `SEEDS=7,12` plays those again; otherwise the fifty that are recorded here. */
const seeds = process.env.SEEDS?.split(',').map(Number) ?? Array.from({ length: 50 }, (_, index) => index + 1);

describe.each(clusters)('on $cluster', ({ start }) => {
  const environment = anEnvironment(() => start(ADVERSE));
  describeKills(environment, seeds, (report) => process.stdout.write(`${JSON.stringify(report)}\n`));
});
