import { describe } from 'vitest';
import { aStage, startVirtualStage } from '../scenarios/environment.ts';
import { describeUninstall, sampleOfRemovals } from '../scenarios/uninstall.ts';

describe('on the embedded cluster', () => describeUninstall(aStage(startVirtualStage), sampleOfRemovals(4, 4)));
