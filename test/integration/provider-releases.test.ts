import { describe } from 'vitest';
import { describeProviderReleases } from '../scenarios/provider-releases.ts';
import { providerFixtures } from '../scenarios/providers/index.ts';
import { aStage, startVirtualStage } from '../scenarios/stage.ts';

describe('06-RE3: releases through every traffic provider', () => describeProviderReleases(aStage(startVirtualStage), providerFixtures));
