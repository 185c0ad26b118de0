import { describe } from 'vitest';
import { aStage, startRealStage } from '../scenarios/environment.ts';
import { describeServicesInPlace } from '../scenarios/services-in-place.ts';

describe('on a real control plane', () => describeServicesInPlace(aStage(startRealStage)));
