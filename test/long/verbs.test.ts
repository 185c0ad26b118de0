import { describe } from 'vitest';
import { clusters } from '../scenarios/clusters.ts';
import { aStage } from '../scenarios/environment.ts';
import { describeVerbs } from '../scenarios/verbs/index.ts';

describe.each(clusters)('on $cluster', ({ start }) => describeVerbs(aStage(start)));
