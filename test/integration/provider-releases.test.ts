import { describe } from 'vitest';
import { partOf } from '../fakes/covering-part.ts';
import { anEnvironment, startVirtualEnvironment } from '../scenarios/environment.ts';
import { describeProviderReleases } from '../scenarios/provider-releases.ts';
import { providerFixtures } from '../scenarios/providers/index.ts';

// Each provider has a bad version or a good one; test/long and test/e2e play both.
describe('releases through every traffic provider', () =>
  describeProviderReleases(anEnvironment(startVirtualEnvironment), providerFixtures, partOf(2)));
