import { describe } from 'vitest';
import { describeIdlePods } from '../scenarios/idle-pods.ts';
import { aStage, startRealStage } from '../scenarios/stage.ts';

describe('on a real control plane', () => describeIdlePods(aStage(startRealStage)));
