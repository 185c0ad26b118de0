import { describe } from 'vitest';
import { describeComparedDisturbances } from '../scenarios/compared-disturbances.ts';
import { anEnvironment, startVirtualEnvironment } from '../scenarios/environment.ts';

describe('a comparison under disturbances', () => describeComparedDisturbances(anEnvironment(startVirtualEnvironment)));
