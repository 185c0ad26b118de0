import { join } from 'node:path';
import { describe } from 'vitest';
import { ensureBinaries } from '../../scripts/e2e-binaries.ts';
import { describeBreakGlass } from '../scenarios/break-glass.ts';
import { anEnvironment, startEmbeddedEnvironment, startRealEnvironment } from '../scenarios/environment.ts';
import { providerFixtures } from '../scenarios/providers/index.ts';

const kubectl = async () => join((await ensureBinaries()).dir, 'kubectl');

/** The older versions of SMI differ in how weights are written, which nothing on the page looks at. */
const fixtures = providerFixtures.filter(({ provider }) => !/^smi:v1alpha[123]$/.test(provider));

describe('on the embedded cluster', () => {
  const environmentOf = anEnvironment(startEmbeddedEnvironment);
  describeBreakGlass(environmentOf, fixtures, { kubectl, kubeconfigFile: () => environmentOf().kubeconfigFile, down: 1 });
});

describe('on a real control plane', () => {
  const environmentOf = anEnvironment(startRealEnvironment);
  describeBreakGlass(environmentOf, fixtures, { kubectl, kubeconfigFile: () => environmentOf().adminKubeconfigFile, down: 0 });
});
