import { describe } from 'vitest';
import { anEnvironment, startVirtualEnvironment } from '../scenarios/environment.ts';
import { describeUninstall, sampleOfRemovals } from '../scenarios/uninstall.ts';

describe('on the embedded cluster', () => describeUninstall(anEnvironment(startVirtualEnvironment), sampleOfRemovals(4, 4)));
