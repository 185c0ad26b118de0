import { describe } from 'vitest';
import { describeServicesInPlace } from '../suite/services-in-place.ts';
import { aStage, startEmbeddedStage } from '../suite/stage.ts';

describe('on the embedded cluster', () => describeServicesInPlace(aStage(startEmbeddedStage)));
