import { describe } from 'vitest';
import { clusters } from '../suite/clusters.ts';
import { aStage } from '../suite/stage.ts';
import { describeVerbs } from '../suite/verbs/index.ts';

describe.each(clusters)('on $cluster', ({ start }) => describeVerbs(aStage(start)));
