import { describe } from 'vitest';
import { anEnvironment, startRealEnvironment } from '../scenarios/environment.ts';
import { describeHealthyReleases, LAGGING } from '../scenarios/healthy-releases.ts';

describe('healthy releases on a real control plane', () =>
  describeHealthyReleases(anEnvironment(() => startRealEnvironment({ ...LAGGING, seed: 3 }))));
