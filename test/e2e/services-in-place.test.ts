import { describe } from 'vitest';
import { describeServicesInPlace } from '../suite/services-in-place.ts';
import { aStage, startRealStage } from '../suite/stage.ts';

describe('on a real control plane', () => describeServicesInPlace(aStage(startRealStage)));
