import { describe } from 'vitest';
import { anEnvironment, startRealEnvironment } from '../scenarios/environment.ts';
import { describeProviderReleases } from '../scenarios/provider-releases.ts';
import { providerFixtures } from '../scenarios/providers/index.ts';

describe('releases through every traffic provider on a real control plane', () =>
  describeProviderReleases(anEnvironment(startRealEnvironment), providerFixtures));
