import { describe } from 'vitest';
import { describeServicesInPlace } from '../scenarios/services-in-place.ts';
import { aStage, startVirtualStage } from '../scenarios/stage.ts';

describe('on the embedded cluster', () => describeServicesInPlace(aStage(startVirtualStage)));
