import { describe } from 'vitest';
import { describeHealthyReleases, LAGGING } from '../scenarios/healthy-releases.ts';
import { aStage, startRealStage } from '../scenarios/stage.ts';

describe('healthy releases on a real control plane', () => describeHealthyReleases(aStage(() => startRealStage({ ...LAGGING, seed: 3 }))));
