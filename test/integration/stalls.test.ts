import { describe } from 'vitest';
import { anEnvironment, startVirtualEnvironment } from '../scenarios/environment.ts';
import { describeStalls } from '../scenarios/stalling.ts';

describe('on the embedded cluster', () => describeStalls(anEnvironment(startVirtualEnvironment)));
