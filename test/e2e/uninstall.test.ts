import { describe } from 'vitest';
import { anEnvironment, startRealEnvironment } from '../scenarios/environment.ts';
import { describeUninstall, sampleOfRemovals } from '../scenarios/uninstall.ts';

describe('on a real control plane', () => describeUninstall(anEnvironment(startRealEnvironment), sampleOfRemovals(4, 4)));
