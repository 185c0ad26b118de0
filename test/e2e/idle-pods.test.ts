import { describe } from 'vitest';
import { aStage, startRealStage } from '../scenarios/environment.ts';
import { describeIdlePods } from '../scenarios/idle-pods.ts';

describe('on a real control plane', () => describeIdlePods(aStage(startRealStage)));
