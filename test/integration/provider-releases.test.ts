import { describe } from 'vitest';
import { describeProviderReleases } from '../suite/provider-releases.ts';
import { providerFixtures } from '../suite/providers/index.ts';
import { aStage, startVirtualStage } from '../suite/stage.ts';

describe('06-RE3: releases through every traffic provider', () => describeProviderReleases(aStage(startVirtualStage), providerFixtures));
