import { describe } from 'vitest';
import { describeHealthyReleases, LAGGING } from '../suite/healthy-releases.ts';
import { aStage, startRealStage } from '../suite/stage.ts';

describe('healthy releases on a real control plane', () => describeHealthyReleases(aStage(() => startRealStage({ ...LAGGING, seed: 3 }))));
