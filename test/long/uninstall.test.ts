import { describe } from 'vitest';
import { anEnvironment, clusters } from '../scenarios/environment.ts';
import { describeUninstall, removals } from '../scenarios/uninstall.ts';

describe.each(clusters)('on $cluster', ({ start }) => describeUninstall(anEnvironment(start), removals));
