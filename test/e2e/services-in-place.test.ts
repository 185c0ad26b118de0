import { describe } from 'vitest';
import { anEnvironment, startRealEnvironment } from '../scenarios/environment.ts';
import { describeServicesInPlace } from '../scenarios/services-in-place.ts';

describe('on a real control plane', () => describeServicesInPlace(anEnvironment(startRealEnvironment)));
