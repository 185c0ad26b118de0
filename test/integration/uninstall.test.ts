import { describe } from 'vitest';
import { aStage, startVirtualStage } from '../suite/stage.ts';
import { describeUninstall, sampleOfRemovals } from '../suite/uninstall.ts';

describe('on the embedded cluster', () => describeUninstall(aStage(startVirtualStage), sampleOfRemovals(4, 4)));
