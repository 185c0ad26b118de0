import { describe } from 'vitest';
import { describeProviderReleases } from '../scenarios/provider-releases.ts';
import { providerFixtures } from '../scenarios/providers/index.ts';
import { aStage, startRealStage } from '../scenarios/stage.ts';

describe('06-RE3: releases through every traffic provider on a real control plane', () =>
  describeProviderReleases(aStage(startRealStage), providerFixtures));
