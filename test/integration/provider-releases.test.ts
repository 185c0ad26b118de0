import { describe } from 'vitest';
import { partOf } from '../fakes/covering-part.ts';
import { describeProviderReleases } from '../scenarios/provider-releases.ts';
import { providerFixtures } from '../scenarios/providers/index.ts';
import { aStage, startVirtualStage } from '../scenarios/stage.ts';

// Each provider has a bad version or a good one; test/long and test/e2e play both.
describe('06-RE3: releases through every traffic provider', () =>
  describeProviderReleases(aStage(startVirtualStage), providerFixtures, partOf(2)));
