import { describe } from 'vitest';
import { aStage, startRealStage } from '../scenarios/environment.ts';
import { describeProviderReleases } from '../scenarios/provider-releases.ts';
import { providerFixtures } from '../scenarios/providers/index.ts';

describe('06-RE3: releases through every traffic provider on a real control plane', () =>
  describeProviderReleases(aStage(startRealStage), providerFixtures));
