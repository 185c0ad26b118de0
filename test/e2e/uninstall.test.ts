import { describe } from 'vitest';
import { aStage, startRealStage } from '../scenarios/environment.ts';
import { describeUninstall, sampleOfRemovals } from '../scenarios/uninstall.ts';

describe('on a real control plane', () => describeUninstall(aStage(startRealStage), sampleOfRemovals(4, 4)));
