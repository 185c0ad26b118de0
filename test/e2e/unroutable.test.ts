import { describe } from 'vitest';
import { anEnvironment, startRealEnvironment } from '../scenarios/environment.ts';
import { describeUnroutable } from '../scenarios/unroutable.ts';

describe('on a real control plane', () => describeUnroutable(anEnvironment(startRealEnvironment)));
