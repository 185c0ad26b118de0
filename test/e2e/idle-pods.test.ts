import { describe } from 'vitest';
import { anEnvironment, startRealEnvironment } from '../scenarios/environment.ts';
import { describeIdlePods } from '../scenarios/idle-pods.ts';

describe('on a real control plane', () => describeIdlePods(anEnvironment(startRealEnvironment)));
