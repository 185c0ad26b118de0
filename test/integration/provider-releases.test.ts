import { describe } from 'vitest';
import { describeProviderReleases } from '../suite/provider-releases.ts';
import { providerFixtures } from '../suite/providers/index.ts';
import { aStage, startEmbeddedStage } from '../suite/stage.ts';

describe('06-RE3: releases through every traffic provider', () => describeProviderReleases(aStage(startEmbeddedStage), providerFixtures));
