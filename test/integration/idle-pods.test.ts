import { describe } from 'vitest';
import { anEnvironment, startVirtualEnvironment } from '../scenarios/environment.ts';
import { describeIdlePods } from '../scenarios/idle-pods.ts';

describe('on the embedded cluster', () => describeIdlePods(anEnvironment(startVirtualEnvironment)));
