import { describe } from 'vitest';
import { clusters } from '../scenarios/clusters.ts';
import { anEnvironment } from '../scenarios/environment.ts';
import { describeVerbs } from '../scenarios/verbs/index.ts';

describe.each(clusters)('on $cluster', ({ start }) => describeVerbs(anEnvironment(start)));
