import { describe } from 'vitest';
import { aStage, startVirtualStage } from '../scenarios/environment.ts';
import { describeIdlePods } from '../scenarios/idle-pods.ts';

describe('on the embedded cluster', () => describeIdlePods(aStage(startVirtualStage)));
