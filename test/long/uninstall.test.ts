import { describe } from 'vitest';
import { clusters } from '../suite/clusters.ts';
import { aStage } from '../suite/stage.ts';
import { describeUninstall, removals } from '../suite/uninstall.ts';

describe.each(clusters)('on $cluster', ({ start }) => describeUninstall(aStage(start), removals));
