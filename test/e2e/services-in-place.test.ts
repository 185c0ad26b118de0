import { describe } from 'vitest';
import { describeServicesInPlace } from '../scenarios/services-in-place.ts';
import { aStage, startRealStage } from '../scenarios/stage.ts';

describe('on a real control plane', () => describeServicesInPlace(aStage(startRealStage)));
