import { describe } from 'vitest';
import { aStage, startRealStage } from '../scenarios/environment.ts';
import { describeHealthyReleases, LAGGING } from '../scenarios/healthy-releases.ts';

describe('healthy releases on a real control plane', () => describeHealthyReleases(aStage(() => startRealStage({ ...LAGGING, seed: 3 }))));
