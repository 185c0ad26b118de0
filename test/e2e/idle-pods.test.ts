import { describe } from 'vitest';
import { describeIdlePods } from '../suite/idle-pods.ts';
import { aStage, startRealStage } from '../suite/stage.ts';

describe('on a real control plane', () => describeIdlePods(aStage(startRealStage)));
