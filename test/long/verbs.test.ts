import { describe } from 'vitest';
import { anEnvironment, clusters } from '../scenarios/environment.ts';
import { describeVerbs } from '../scenarios/verbs/index.ts';

describe.each(clusters)('on $cluster', ({ start }) => describeVerbs(anEnvironment(start)));
