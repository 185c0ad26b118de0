import { describe } from 'vitest';
import { aStage, startRealStage } from '../suite/stage.ts';
import { describeUninstall, sampleOfRemovals } from '../suite/uninstall.ts';

describe('on a real control plane', () => describeUninstall(aStage(startRealStage), sampleOfRemovals(4, 4)));
