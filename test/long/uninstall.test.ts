import { describe } from 'vitest';
import { clusters } from '../scenarios/clusters.ts';
import { aStage } from '../scenarios/environment.ts';
import { describeUninstall, removals } from '../scenarios/uninstall.ts';

describe.each(clusters)('on $cluster', ({ start }) => describeUninstall(aStage(start), removals));
