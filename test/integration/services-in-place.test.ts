import { describe } from 'vitest';
import { aStage, startVirtualStage } from '../scenarios/environment.ts';
import { describeServicesInPlace } from '../scenarios/services-in-place.ts';

describe('on the embedded cluster', () => describeServicesInPlace(aStage(startVirtualStage)));
