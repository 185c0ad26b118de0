import { describe } from 'vitest';
import { aStage, startEmbeddedStage } from '../suite/stage.ts';
import { describeUninstall, sampleOfRemovals } from '../suite/uninstall.ts';

describe('on the embedded cluster', () => describeUninstall(aStage(startEmbeddedStage), sampleOfRemovals(4, 4)));
