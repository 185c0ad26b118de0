import { describe } from 'vitest';
import { anEnvironment, startVirtualEnvironment } from '../scenarios/environment.ts';
import { describeServicesInPlace } from '../scenarios/services-in-place.ts';

describe('on the embedded cluster', () => describeServicesInPlace(anEnvironment(startVirtualEnvironment)));
