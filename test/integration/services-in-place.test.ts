import { describe } from 'vitest';
import { describeServicesInPlace } from '../suite/services-in-place.ts';
import { aStage, startVirtualStage } from '../suite/stage.ts';

describe('on the embedded cluster', () => describeServicesInPlace(aStage(startVirtualStage)));
