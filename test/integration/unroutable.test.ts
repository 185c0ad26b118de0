import { describe } from 'vitest';
import { anEnvironment, startVirtualEnvironment } from '../scenarios/environment.ts';
import { describeUnroutable } from '../scenarios/unroutable.ts';

describe('on the embedded cluster', () => describeUnroutable(anEnvironment(startVirtualEnvironment)));
