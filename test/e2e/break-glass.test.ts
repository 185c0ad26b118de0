import { join } from 'node:path';
import { describe } from 'vitest';
import { ensureBinaries } from '../../scripts/e2e-binaries.ts';
import { describeBreakGlass } from '../suite/break-glass.ts';
import { providerFixtures } from '../suite/providers/index.ts';
import { aStage, startEmbeddedStage, startRealStage } from '../suite/stage.ts';

const kubectl = async () => join((await ensureBinaries()).dir, 'kubectl');

describe('on the embedded cluster', () => {
  const stageOf = aStage(startEmbeddedStage);
  describeBreakGlass(stageOf, providerFixtures, { kubectl, kubeconfigFile: () => stageOf().kubeconfigFile, down: 1 });
});

describe('on a real control plane', () => {
  const stageOf = aStage(startRealStage);
  describeBreakGlass(stageOf, providerFixtures, { kubectl, kubeconfigFile: () => stageOf().adminKubeconfigFile, down: 0 });
});
